/** An agent that was there on most of the last days and is not any more, as its service knows it. */

import { rows } from '../../functions/table/rows.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import type { AgentId } from '../../shared/identity.ts';
import type { FilledSystem } from './filled-system.ts';

const HOUR_S = 3_600;
/** From so many hours ago to so many; the last one has ended too. */
const CONNECTED: readonly (readonly [from: number, to: number, end: string])[] = [
  [160, 121, 'stopped'],
  [120.5, 60, 'connection_lost'],
  [52, 26, 'service_stopped'],
  [25.9, 0.7, 'timed_out'],
];

export async function addLostAgent({ context }: FilledSystem, agent: AgentId): Promise<void> {
  const { sites, table } = context;
  const now = Date.now();
  const certificate = `gone-${agent}`;
  await sites.recordEnrolment(
    { agent, replaces: false, madeAt: new Date() },
    { certificateId: certificate, key: certificate },
  );
  const gone = { clientId: agent, versionNumber: 1, timestamp: now - 0.7 * HOUR_S * 1000 } as const;
  await sites.recordPresence(agent, {
    ...{ v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: now, version: '0.3.0', capabilities: [] },
    host: {
      name: 'pi-attic',
      platform: 'Debian GNU/Linux 12 (bookworm)',
      addresses: ['192.168.2.9', '2001:db8:2::9'],
      startedAt: now - 26 * HOUR_S * 1000,
    },
    programs: { nmap: '7.93', ip: '6.1.0', 'arp-scan': null, traceroute: '2.1.2' },
    networks: ['192.168.2.0/24'],
    load: { running: 0, queued: 0 },
    discovery: { state: 'on', accuracy: 'reduced', networks: ['192.168.2.0/24'] },
    update: { able: true, last: { version: '0.3.0', state: 'done', reason: null, at: now - 50 * HOUR_S * 1000 } },
  });
  await sites.recordConnectionEvent(agent, {
    ...gone,
    eventType: 'disconnected',
    disconnectReason: 'MQTT_KEEP_ALIVE_TIMEOUT',
  });
  const links = CONNECTED.map(([from, to, end]) => [
    ...[from, to].map((hours) => Math.round(now / 1000 - hours * HOUR_S)),
    end,
  ]);
  const endsAt = now + 200 * 24 * HOUR_S * 1000;
  await table.update(rows.agent(agent), { set: { links: JSON.stringify(links), endsAt } });
}
