/** Hosts of a LAN that go with their gateway: what `npm start` on another host of it tells of that, and of their return. */
import { expect, test } from 'vitest';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { describeLab } from '../../lab/describe-lab.ts';
import type { Lab } from '../../lab/lab.ts';
import { HOSTS, ROUTER } from '../../lab/plan.ts';
import { type Inside, startInside } from '../../lab/system-inside.ts';
import { waitFor } from '../../support/wait-for.ts';

const GONE = [ROUTER, HOSTS.nas, HOSTS.printer, HOSTS.desktop];
/** Three cycles have to miss a device, and five minutes to pass without a sign of it. */
const GRACE_MS = 300_000;
const PATIENCE_MS = GRACE_MS + 240_000;

/** Takes every message. */
const RECEIVED_AT = 'http://127.0.0.1:8799/lan';
const RECEIVER = `require('node:http').createServer((_, response) => response.end()).listen(8799, '127.0.0.1')`;

let system: Inside;
async function prepare(lab: Lab): Promise<void> {
  system = await startInside(lab, 'outage', 8787, { DISCOVER: 'auto', HOOKS_ALLOW_PRIVATE: 'yes' });
  await lab.run([process.execPath, '-e', RECEIVER]);
}

describeLab('an outage', { timeout: 2 * PATIENCE_MS, prepare }, (lab) => {
  const read = async <T>(path: string) => (await (await system.request('GET', path)).json()) as T;
  const eventsOf = async (...types: string[]) =>
    (await read<{ events: DeviceEvent[] }>(`/events?limit=1000&type=${types.join(',')}`)).events.reverse();
  const isOnline = async ({ mac }: { mac: string }) =>
    (await read<{ devPresentLastScan?: number }>(`/devices/${mac}`)).devPresentLastScan === 1;

  test('gateway off: one event with its members, and one delivery; back again: one event with its length', async () => {
    await system.request('PATCH', '/sites/home', {
      discovery: { enabled: true, networks: 'auto', intervalSeconds: 30 },
    });
    await waitFor(
      'all devices',
      async () => (await Promise.all(GONE.map(isOnline))).every((online) => online),
      120_000,
    );
    const hook = { url: RECEIVED_AT, events: ['online', 'offline', 'outage', 'outage-over'] };
    const { id } = (await (await system.request('POST', '/hooks', hook)).json()) as { id: string };

    const begunAt = Date.now();
    for (const { name } of GONE) await lab.on(name, 'ip link set eth0 down');
    const [outage] = await waitFor(
      'an outage',
      async () => {
        const found = await eventsOf('outage');
        return found.length > 0 && found;
      },
      PATIENCE_MS,
    );
    expect(outage).toMatchObject({ detail: { cause: 'gateway' }, count: GONE.length });
    expect(outage?.members?.map(({ mac }) => mac).sort()).toEqual(GONE.map(({ mac }) => mac).sort());
    const gone = await eventsOf('offline');
    expect(gone.map(({ outage }) => outage)).toEqual(GONE.map(() => outage?.subject?.id));

    for (const { name } of GONE) await lab.on(name, 'ip link set eth0 up');
    const endedAt = Date.now();
    await waitFor('its end', async () => (await eventsOf('outage-over')).length > 0, 240_000);
    await waitFor(
      'all devices',
      async () => (await Promise.all(GONE.map(isOnline))).every((online) => online),
      240_000,
    );
    const [over, ...more] = await eventsOf('outage-over');
    expect(more).toEqual([]);
    expect(over).toMatchObject({ subject: outage?.subject, count: GONE.length });
    // The last sign of them is up to a cycle older than their end, and the first one again up to a cycle later.
    const seconds = Number(over?.detail?.seconds);
    const tookS = (endedAt - begunAt) / 1000;
    expect([seconds > tookS - 45, seconds < tookS + 120]).toEqual([true, true]);
    expect(await eventsOf('outage')).toHaveLength(1);
    const delivered = async () => {
      const { deliveries } = await read<{ deliveries: { event: string }[] }>(`/hooks/${id}/deliveries`);
      return deliveries.map(({ event }) => event).sort();
    };
    await expect.poll(delivered).toEqual(['outage', 'outage-over']);
  });
});
