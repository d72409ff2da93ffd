/** An agent in words. */
import type { AnswerOf } from '../../client/routes.ts';
import { isOlder } from '../../shared/agent/version-order.ts';
import type { ConnectionEnd, ListedAgent, OfflineReason } from '../../shared/api/records.ts';
import { type Cell, fields, state, type Text, time } from '../client/text.ts';

type OneAgent = AnswerOf<'GET /sites/{site}/agents/{name}'>;

const ENDS: Readonly<Record<ConnectionEnd, string>> = {
  stopped: 'it was stopped on its host, or its host was shut down',
  connection_lost: 'the connection broke off',
  timed_out: 'nothing was heard of it any more',
  taken_over: 'another connection of its name took its place',
  refused: 'it sent what it may not',
  disconnected: 'the service ended it, because a certificate was replaced or revoked',
  service_stopped: 'the service itself was stopped',
};
const REASONS: Readonly<Record<OfflineReason, string>> = {
  ...ENDS,
  updating: 'it stopped to install another release, and has not come back',
  certificate_ended: 'its certificate has ended; enrol it again',
  revoked: 'it is being revoked',
  incompatible: 'it speaks a protocol that the service does not understand',
  unknown: 'that was not noted',
};

const DAYS_MS = 7 * 86_400_000;
const CONNECTIONS_SHOWN = 3;
/** Below it a clock is good enough: in the cloud it is known to two minutes only. */
const CLOCK_OFF_SECONDS = 150;
/** Clocks that are further ahead are shown as this. */
const MOST_AHEAD_SECONDS = 300;

export function agentText(agent: OneAgent, now = Date.now()): Text {
  const { id, since, offlineReason, host, version, protocol, discovery, networks, load } = agent;
  const { capabilities, programs, limitedUntil, certificateEndsAt, clockOffSeconds } = agent;
  const installed = Object.entries(programs).map(([name, found]) => `${name} ${found ?? 'missing'}`);
  const head = fields({
    Agent: id,
    State: since === null ? state(agent.state) : [state(agent.state), ' since ', time(since)],
    // A reason that a newer service knows is shown as it calls it.
    'Offline because': offlineReason && (REASONS[offlineReason] ?? offlineReason),
    Host: host && `${host.name}, ${host.platform}`,
    Addresses: host && (host.addresses.join(', ') || '-'),
    'Running since': host && time(host.startedAt),
    Version: version ?? '-',
    Protocol: protocol ?? '-',
    Update: updateText(agent),
    Certificate: certificateEndsAt === null ? '-' : ['until ', time(certificateEndsAt)],
    Clock: clockOffSeconds === null ? '-' : clockText(clockOffSeconds),
    Discovery: discovery?.state ?? '-',
    Networks: networks.join(', ') || '-',
    Load: load && loadText(load),
    Tools: capabilities.join(', ') || '-',
    Programs: installed.join(', ') || '-',
    'Limited until': limitedUntil && time(limitedUntil),
  });
  const known = agent.connections.filter(({ to }) => to === null || Date.parse(to) > now - DAYS_MS);
  if (known.length === 0) return [head, '\nNo connection in the last 7 days is known.\n'];
  const count = known.length === 1 ? '1 connection' : `${known.length} connections`;
  const last = known.length > CONNECTIONS_SHOWN ? `, the last ${CONNECTIONS_SHOWN} of them` : '';
  const shown = known.slice(-CONNECTIONS_SHOWN).reverse();
  return [head, `\n${count} in the last 7 days${last}:\n`, ...shown.map(connectionText)];
}

function connectionText({ from, to, end }: OneAgent['connections'][number]): Text {
  const ended: Cell[] = to === null ? ['now'] : [time(to), `: ${end === null ? REASONS.unknown : (ENDS[end] ?? end)}`];
  return fields({ '  from': [time(from), ' to ', ...ended] });
}

function clockText(seconds: number): string {
  if (Math.abs(seconds) < CLOCK_OFF_SECONDS) return 'right';
  const isCut = seconds >= MOST_AHEAD_SECONDS;
  const minutes = Math.floor((isCut ? MOST_AHEAD_SECONDS : Math.abs(seconds)) / 60);
  const off = `${isCut ? 'at least ' : ''}${minutes} min ${seconds > 0 ? 'ahead' : 'behind'}`;
  return `${off}; more than 5 and it refuses commands, so set it on its host`;
}

function loadText(load: NonNullable<ListedAgent['load']>): string {
  return Object.entries(load)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}

/** What has failed or is under way goes before what could be. */
export function updateText({ version, update, updateAvailable }: ListedAgent): string {
  const last = update?.last ?? null;
  // After an upgrade of the package, earlier failures do not matter any more.
  const isShown = last?.state === 'installing' || (last?.state === 'failed' && isOlder(version, last.version));
  if (last !== null && isShown) return `${last.version} ${last.state}`;
  return updateAvailable === null ? '-' : `${updateAvailable} available`;
}
