/** The state, last measurements and target of a check. */
import type { Check } from '../../shared/api/checks.ts';
import { Status, type Tone } from '../ui/status.tsx';
import { checkTexts } from './check-texts.ts';

export const CHECK_TONES: Record<Check['state'], Tone> = { up: 'good', down: 'bad', unknown: 'unknown' };

export function CheckState({ check: { state, enabled } }: { check: Pick<Check, 'state' | 'enabled'> }) {
  if (!enabled) return <Status tone="calm">{checkTexts.paused}</Status>;
  return <Status tone={CHECK_TONES[state]}>{checkTexts.states[state]}</Status>;
}

/** The lowest latency and loss among all agents; null without any. */
export function bestOf({ measured }: Pick<Check, 'measured'>): { rttMs: number | null; lossPercent: number | null } {
  const times = measured.flatMap(({ rttMs }) => (rttMs === null ? [] : [rttMs]));
  return {
    rttMs: times.length === 0 ? null : Math.min(...times),
    lossPercent: measured.length === 0 ? null : Math.min(...measured.map(({ lossPercent }) => lossPercent)),
  };
}

/** `192.168.1.20`, `nas:22`, `https://nas.lan/`. */
export function targetOf(check: Check): string {
  const { kind, device, host, port, url, name, record, server, anchors, toSite } = check;
  const place = device ?? host ?? '';
  switch (kind) {
    case 'ping':
      return place;
    case 'tcp':
      return `${place}:${port}`;
    case 'http':
      return url ?? '';
    case 'dns':
      return [name, record, server === undefined ? undefined : `@${server}`].filter((part) => part).join(' ');
    case 'internet':
      return (anchors ?? []).join(', ');
    case 'site':
      return toSite ?? '';
  }
}
