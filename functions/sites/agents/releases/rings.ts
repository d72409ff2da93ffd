/**
 * The order in which agents are updated to the current release: one of the deployment, then a tenth of those that can, then
 * all. A ring is over when its agents have stayed connected with the release for a while, and one failure stops the roll-out.
 *
 * Pure functions, which get all agents or some: the outcome of an update follows from its agent alone, and only the begin of
 * a ring needs all of them.
 */
import { createHash } from 'node:crypto';
import { isOlder, type UpdateState } from '../../../../shared/agent/release.ts';
import type { Agent, Ring, Site } from '../../../../shared/api/records.ts';
import { MAX_NAMED_FAILURES } from '../../../../shared/api/updates.ts';
import type { AgentId } from '../../../../shared/identity.ts';
import { isInWindow } from '../../../../shared/schedule-turns.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../shared/time.ts';
import type { RollOut } from './roll-out-store.ts';

/** How long an agent must stay connected with a release before it counts as healthy. */
export const SETTLE_MS = 10 * MINUTE_MS;
/** The timeout of an update without progress. */
export const SILENT_AFTER_MS = HOUR_MS;
/** The timeout of an agent that runs the release and does not stay connected: it would hold up its ring forever. */
export const RESTLESS_AFTER_MS = 6 * HOUR_MS;
/** The most updates in flight, in any ring: the row names them. */
export const MAX_AT_ONCE = 200;

export interface SeenAgent {
  agent: Pick<Agent, 'id' | 'state' | 'since' | 'version' | 'update'>;
  site: Pick<Site, 'updates' | 'timeZone'>;
}

interface Circumstances {
  /** Of the current release. */
  version: string;
  /** Unix, ms. */
  now: number;
  /** Whether the agents are all those of sites with `updates: auto`. */
  isAll: boolean;
  /** Default: SETTLE_MS. */
  settleMs?: number | undefined;
}

export interface Failure {
  agent: AgentId;
  reason: string;
}

export interface Step {
  rollOut: RollOut;
  /** New failures. */
  failures: Failure[];
  /** Whether the ring is over, so that all agents are needed to begin the next one. */
  needsAll: boolean;
}

/** The next state. Independent of the order of the agents, and idempotent. */
export function nextStep(
  before: RollOut | null,
  agents: readonly SeenAgent[],
  { version, now, isAll, settleMs = SETTLE_MS }: Circumstances,
): Step {
  const rollOut = before?.version === version ? structuredClone(before) : begun(version, now);
  const seen = new Map(agents.map((one) => [one.agent.id, one]));
  const failures: Failure[] = [];
  for (const [agent, startedAt] of Object.entries(rollOut.underWay).sort(byName)) {
    const found = seen.get(agent);
    const outcome =
      found === undefined ? (isAll ? 'left' : null) : outcomeOf(found, { rollOut, startedAt, now, settleMs });
    if (outcome === null) continue;
    delete rollOut.underWay[agent];
    if (outcome === 'well') rollOut.well++;
    else if (outcome !== 'left') failures.push({ agent, reason: outcome.failed });
  }
  for (const failure of failures) rollOut.failures.push({ ...failure, at: now });
  rollOut.failures = rollOut.failures.slice(-MAX_NAMED_FAILURES);
  if (failures.length > 0 && rollOut.state === 'going') rollOut.state = 'stopped';
  if (rollOut.state !== 'going') return { rollOut, failures, needsAll: false };

  const waiting = agents.filter(({ agent, site }) => {
    const mayBegin = isCandidate({ agent, site }, version) && agent.state === 'online';
    return mayBegin && rollOut.underWay[agent.id] === undefined;
  });
  start(rollOut, waiting, now);
  while (isAll && isOver(rollOut, waiting)) {
    beginRing(rollOut, agents, now);
    start(rollOut, waiting, now);
  }
  return { rollOut, failures, needsAll: !isAll && isOver(rollOut, null) };
}

/** Whether the state of an agent may change the roll-out, by the row alone. */
export function mayConcern(rollOut: RollOut | null, version: string, agent: AgentId): boolean {
  if (rollOut?.version !== version) return true;
  return rollOut.underWay[agent] !== undefined || (rollOut.state === 'going' && roomOf(rollOut) > 0);
}

/** The update in the plan of an agent. */
export function plannedUpdate(rollOut: RollOut | null, agent: AgentId): { version: string } | undefined {
  if (rollOut?.state !== 'going' || rollOut.underWay[agent] === undefined) return undefined;
  return { version: rollOut.version };
}

/** Resumes the roll-out; the timeouts of updates in flight restart. */
export function resumed(rollOut: RollOut, now: number): RollOut {
  const underWay = Object.fromEntries(Object.keys(rollOut.underWay).map((agent) => [agent, now]));
  return { ...rollOut, state: 'going', underWay };
}

/** Abandons the roll-out; updates in flight are no longer tracked. */
export const abandoned = (rollOut: RollOut): RollOut => ({ ...rollOut, state: 'given-up', underWay: {} });

export const ringOf = (rollOut: RollOut | null, agent: AgentId): Ring => rollOut?.early[agent] ?? 3;

function begun(version: string, now: number): RollOut {
  return { version, state: 'going', ring: 1, since: now, size: 1, well: 0, early: {}, underWay: {}, failures: [] };
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : one > other ? 1 : 0;

/** `left`: the agent no longer takes part, or is gone. Null while the update is in flight. */
function outcomeOf(
  { agent: { state, since, version: runs, update }, site }: SeenAgent,
  at: { rollOut: RollOut; startedAt: number; now: number; settleMs: number },
): 'well' | 'left' | { failed: string } | null {
  const { rollOut, startedAt, now, settleMs } = at;
  const { version } = rollOut;
  const last = lastOf(update, version);
  if (last?.state === 'failed') return { failed: last.reason ?? 'it does not say why' };
  const isOnline = state === 'online';
  const forMs = now - (since === null ? now : Date.parse(since));
  // Or a newer one, installed by hand.
  const runsIt = runs !== null && !isOlder(runs, version) && last?.state !== 'installing';
  if (runsIt && isOnline && forMs >= settleMs) return 'well';
  if (site.updates.mode !== 'auto' || update?.able !== true) return 'left';
  if (rollOut.state !== 'going') return null; // No timeouts while the roll-out is stopped.
  const isSilent = !isOnline
    ? Math.min(forMs, now - startedAt) >= SILENT_AFTER_MS
    : !runsIt && now - startedAt >= SILENT_AFTER_MS;
  if (runsIt && !isSilent && now - startedAt >= RESTLESS_AFTER_MS)
    return { failed: 'it runs the release, but has not stayed connected within six hours' };
  if (!isSilent) return null;
  return { failed: isOnline ? 'it has not begun or not ended within an hour' : 'it was not heard of for an hour' };
}

function lastOf(update: UpdateState | null, version: string): UpdateState['last'] {
  return update?.last?.version === version ? update.last : null;
}

/** Whether an agent can be updated to the release. One that has failed with it cannot. */
function isCandidate({ agent, site }: SeenAgent, version: string): boolean {
  const { update } = agent;
  const isWanted = site.updates.mode === 'auto' && update?.able === true && isOlder(agent.version, version);
  return isWanted && lastOf(update, version)?.state !== 'failed';
}

/** How many more updates may start now. */
function roomOf({ ring, size, well, underWay }: RollOut): number {
  const busy = Object.keys(underWay).length;
  return Math.min(MAX_AT_ONCE, ring === 3 ? Number.POSITIVE_INFINITY : size - well) - busy;
}

/** Starts as many updates as there is room for, in an order that differs between releases. */
function start(rollOut: RollOut, waiting: readonly SeenAgent[], now: number): void {
  const { version, ring } = rollOut;
  const open = waiting.filter(({ agent: { id }, site }) => {
    return rollOut.underWay[id] === undefined && isInWindow(site.updates.window, now, site.timeZone);
  });
  const placed = open.map(({ agent: { id } }) => [placeOf(version, id), id] as const);
  for (const [, id] of placed.sort(byName).slice(0, Math.max(0, roomOf(rollOut)))) {
    rollOut.underWay[id] = now;
    if (ring !== 3) rollOut.early[id] = ring;
  }
}

function placeOf(version: string, agent: AgentId): string {
  return createHash('sha256').update(`${version} ${agent}`).digest('hex');
}

/**
 * The first ring needs its agent. The second is also over when no connected agent is left: offline and failed ones do not
 * hold up the others.
 * @param waiting null if unknown
 */
function isOver({ ring, size, well, underWay }: RollOut, waiting: readonly SeenAgent[] | null): boolean {
  if (ring === 3 || Object.keys(underWay).length > 0) return false;
  return well >= size || (ring === 2 && waiting?.length === 0);
}

/** Begins the next ring. */
function beginRing(rollOut: RollOut, agents: readonly SeenAgent[], now: number): void {
  const able = agents.filter(({ agent, site }) => site.updates.mode === 'auto' && agent.update?.able === true).length;
  rollOut.ring = rollOut.ring === 1 ? 2 : 3;
  rollOut.size = rollOut.ring === 2 ? Math.min(MAX_AT_ONCE, Math.max(1, Math.ceil(able / 10))) : 0;
  rollOut.well = 0;
  rollOut.since = now;
}
