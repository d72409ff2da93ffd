/** The status of a device; unknown where no agent monitors it. */
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

/** `archived` comes from a person, so it needs no agent. */
function isKnown({ status, watch }: Props): boolean {
  return status === 'archived' || watch.state === 'watched';
}

export function toneOf(device: Props): Tone {
  if (isKnown(device)) return TONES[device.status];
  return device.watch.state === 'unwatched' ? 'unknown' : 'imported';
}

export function stateWord(device: Props): string {
  return isKnown(device) ? statusTexts[device.status] : watchTexts.notMonitored;
}

/** For a line of facts. */
export function DeviceStateFact(device: Props) {
  return (
    <>
      <StatusShape tone={toneOf(device)} />
      <span>{stateWord(device)}</span>
    </>
  );
}

/** With the time since when it is unknown, and the last known status. */
export function DeviceStateLine(device: Props) {
  const { status, watch } = device;
  const tone = toneOf(device);
  if (isKnown(device)) {
    return (
      <span>
        <Status tone={tone}>{stateWord(device)}</Status>
      </span>
    );
  }
  return (
    <>
      <Status tone={tone}>
        <span>
          {stateWord(device)}
          {watch.since !== null && (
            <>
              {` ${watchTexts.since} `}
              <Moment at={watch.since} />
            </>
          )}
        </span>
      </Status>
      <span>{watchTexts.lastKnown({ status: statusTexts[status] })}</span>
    </>
  );
}
