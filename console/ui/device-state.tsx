/** The status of a device, and how far it can be believed. What no agent watches is not shown as if it were known. */
import statusTexts from 'messages:status';
import watchTexts from 'messages:watch';
import type { Watch } from '../../shared/coverage.ts';
import type { DeviceStatus } from '../../shared/device.ts';
import { Status, StatusShape, type Tone } from './status.tsx';
import { Moment } from './time.tsx';

const TONES: Record<DeviceStatus, Tone> = { online: 'good', offline: 'calm', down: 'bad', archived: 'calm' };

interface Props {
  status: DeviceStatus;
  watch: Watch;
}

/** A person archives a device, so that status is known also where no agent watches. */
function isKnown({ status, watch }: Props): boolean {
  return status === 'archived' || watch.state === 'watched';
}

export function toneOf(device: Props): Tone {
  if (isKnown(device)) return TONES[device.status];
  return device.watch.state === 'unwatched' ? 'unknown' : 'imported';
}

function wordOf(device: Props): string {
  if (isKnown(device)) return statusTexts[device.status];
  return watchTexts.notMonitored;
}

/** In one or two words, for a list. The tooltip says what was known last. */
function DeviceState(device: Props) {
  return (
    <span title={isKnown(device) ? undefined : watchTexts.lastKnown({ status: statusTexts[device.status] })}>
      <Status tone={toneOf(device)}>{wordOf(device)}</Status>
    </span>
  );
}

/** The same where shape and word stand in a line of others. */
export function DeviceStateFact(device: Props) {
  return (
    <>
      <StatusShape tone={toneOf(device)} />
      <span>{wordOf(device)}</span>
    </>
  );
}

/** In full: since when it is not known, and what was known last. */
export function DeviceStateLine(device: Props) {
  const { status, watch } = device;
  if (isKnown(device)) return <DeviceState {...device} />;
  return (
    <>
      <Status tone={toneOf(device)}>
        <span>
          {wordOf(device)}
          {watch.since === null ? null : (
            <>
              {' '}
              {watchTexts.since} <Moment at={watch.since} />
            </>
          )}
        </span>
      </Status>
      <span>{watchTexts.lastKnown({ status: statusTexts[status] })}</span>
    </>
  );
}
