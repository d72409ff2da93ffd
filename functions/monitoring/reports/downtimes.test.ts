import { expect, test } from 'vitest';
import type { DeviceEvent, EventType } from '../../../shared/api/events.ts';
import { downtimesOf } from './downtimes.ts';

const SPAN = { since: new Date('2026-10-01T00:00:00Z'), until: new Date('2026-11-01T00:00:00Z') };
const NAS = { mac: '00:1E:06:00:00:01', key: '00:1E:06:00:00:01', name: 'nas' };

function event(type: EventType, at: string, more: Partial<DeviceEvent> = {}): DeviceEvent {
  const when = `2026-10-${at}:00.000Z`;
  const about = { device: null, changes: {}, actor: 'home:main', cause: 'sighting' } as const;
  return { id: '1.0', at: when, recordedAt: when, type, ...about, ...more };
}
const internet = { subject: { kind: 'internet' as const, id: 'home', name: 'home' } };
const agent = { subject: { kind: 'agent' as const, id: 'home:main', name: 'main' } };
const outage = { subject: { kind: 'outage' as const, id: '1', name: '' } };

test('only the part in the span counts; the devices of an outage are in it, and without an alert there is no downtime', () => {
  const found = downtimesOf(
    [
      event('internet-back', '01T01:00', { ...internet, detail: { seconds: 86_400 } }),
      event('outage', '03T10:00', { ...outage, count: 5, detail: { cause: 'power', why: 'nearly all' } }),
      event('down', '03T10:01', { device: NAS, outage: '1' }),
      event('online', '03T11:00', { device: NAS, outage: '1' }),
      event('outage-over', '03T11:00', { ...outage, detail: { seconds: 3_600 } }),
      event('offline', '07T10:00', { device: NAS }),
      event('online', '07T12:00', { device: NAS }),
      event('agent-back', '09T11:00', agent), // Since when is not known.
      event('agent-lost', '31T22:00', agent), // Not over.
    ],
    SPAN,
  );
  expect(found).toMatchObject([
    { kind: 'agent', name: 'main', seconds: 7_200, until: null },
    { kind: 'internet', seconds: 3_600, since: '2026-09-30T01:00:00.000Z' },
    { kind: 'outage', seconds: 3_600, count: 5, cause: 'power' },
  ]);
});
