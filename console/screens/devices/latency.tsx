/** How fast a device answers; coloured only where it is slower than usual. */
import texts from 'messages:devices';
import type { DeviceLatency } from '../../../shared/api/device-presence.ts';
import { measuredText } from '../../text/format.ts';

export function Latency({ of }: { of: DeviceLatency | null }) {
  if (of === null) return null;
  return (
    <span
      className={of.isHigh ? 'text-warn font-medium' : 'text-muted'}
      title={of.isHigh ? texts.latencyHigh : undefined}
    >
      {measuredText(of.ms)} ms
      {of.isHigh ? <span className="visually-hidden"> {texts.latencyHigh}</span> : null}
    </span>
  );
}
