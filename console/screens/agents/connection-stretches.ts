/** The last seven days of an agent as stretches of time: connected, not connected, or unknown. */
import type { AnswerOf } from '../../api/client.ts';
import { parseTime } from '../../text/format.ts';

type Connection = AnswerOf<'GET /sites/{site}/agents/{name}'>['connections'][number];

export type ConnectionState = 'on' | 'off' | 'unknown';

interface ConnectionStretch {
  state: ConnectionState;
  from: number;
  to: number;
  /** How the previous connection ended; for `off` alone. */
  end: Connection['end'];
}

const WEEK_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;

/** The last seven days, or less if their beginning is unknown; at least an hour. */
export function stretchesOf(connections: readonly Connection[], now: number): ConnectionStretch[] {
  const first = connections[0] === undefined ? now : timeOf(connections[0].from);
  const begin = Math.max(now - WEEK_MS, Math.min(first, now - HOUR_MS));
  const stretches: ConnectionStretch[] = [];
  const add = (state: ConnectionState, from: number, to: number, end: Connection['end'] = null) => {
    const part = { state, from: Math.max(from, begin), to: Math.min(to, now), end };
    if (part.to > part.from) stretches.push(part);
  };
  let known = begin;
  connections.forEach(({ from, to }, at) => {
    const [start, stop] = [timeOf(from), to === null ? now : timeOf(to)];
    const before = connections[at - 1];
    add(before === undefined ? 'unknown' : 'off', known, start, before?.end ?? null);
    add('on', start, stop);
    known = Math.max(known, stop);
  });
  const last = connections.at(-1);
  if (last === undefined) add('unknown', begin, now);
  else if (last.to !== null) add('off', known, now, last.end);
  return stretches;
}

/** The connected part of the known time; null if all is unknown. */
export function connectedPercent(stretches: readonly ConnectionStretch[]): number | null {
  const sum = (states: readonly ConnectionState[]) =>
    stretches.filter(({ state }) => states.includes(state)).reduce((ms, { from, to }) => ms + to - from, 0);
  const known = sum(['on', 'off']);
  return known === 0 ? null : (100 * sum(['on'])) / known;
}

function timeOf(text: string): number {
  return parseTime(text)?.getTime() ?? 0;
}
