/** The status of the device in a line, how far it can be believed, and since when. */
import texts from 'messages:device';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { DeviceStateLine } from '../../ui/device-state.tsx';
import { Moment } from '../../ui/time.tsx';
import { statusSince } from './history.ts';

/** @param events the newest first */
export function StateLine({ device, events }: { device: OneDevice; events: readonly DeviceEvent[] }) {
  const since = statusSince(device, events);
  return (
    <div className="flex flex-wrap items-center gap-y-0.5 gap-x-2 text-muted [&>:first-child]:text-text [&>:first-child]:font-medium">
      <DeviceStateLine status={device.devStatus} watch={device.watch} />
      {since === null || device.watch.state !== 'watched' ? null : (
        <span>
          {texts.since} <Moment at={since} />
        </span>
      )}
    </div>
  );
}
