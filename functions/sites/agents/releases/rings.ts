/**
 * Which agents become the release that is handed out, and when: one of the deployment, then a tenth of those that can, then
 * all. A ring is over when its agents have stayed connected with the release for a while, and one failure stops all of it.
 *
 * Nothing here reads or writes. What it is given of agents may be all of them or some: what became of those that were told
 * follows from themselves alone, and only for the beginning of a ring all have to be known.
 */
import { createHash } from 'node:crypto';
import { isOlder, type UpdateState } from '../../../../shared/agent/release.ts';
import type { Agent, Ring, Site } from '../../../../shared/api/records.ts';
import { MAX_NAMED_FAILURES } from '../../../../shared/api/updates.ts';
import type { AgentId } from '../../../../shared/identity.ts';
import { isInWindow } from '../../../../shared/schedule-turns.ts';
import type { RollOut } from './roll-out-store.ts';

/** How long an agent has to stay connected with a release before it counts as well. */
export const SETTLE_MS = 10 * 60_000;
/** An agent that was told, and of which nothing good was heard for so long, has failed. */
export const SILENT_AFTER_MS = 60 * 60_000;
/** An agent that runs the release and does not stay connected has failed after so long: else it would hold up its ring for ever. */
export const RESTLESS_AFTER_MS = 6 * 60 * 60_000;
/** Agents that are under way at the same time, in any ring: the row names them. */
export const MAX_AT_ONCE = 200;

/** An agent, with what its site wants. */
export interface SeenAgent {
  agent: Pick<Agent, 'id' | 'state' | 'since' | 'version' | 'update'>;
  site: Pick<Site, 'updates' | 'timeZone'>;
}

interface Circumstances {
  /** Of the release that is handed out. */
  version: string;
  /** Unix, ms. */
  now: number;
  /** Whether every agent is given whose site has `updates: auto`. */
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
  /** Agents that have failed since. */
  failures: Failure[];
  /** Whether the ring is over, and the next one begins when all agents are given. */
  needsAll: boolean;
}

/** How it goes on. It does not depend on the order of the agents, and changes nothing the second time. */
export function nextStep(
  before: RollOut | null,
  agents: readonly SeenAgent[],
  { version, now, isAll, settleMs = SETTLE_MS }: Circumstances,
): Step {
  const rollOut = before?.version === version ? copyOf(before) : begun(version, now);
  const seen = new Map(agents.map((one) => [one.agent.id, one]));
  const failures: Failure[] = [];
  for (const [agent, toldAt] of Object.entries(rollOut.underWay).sort(byName)) {
    const found = seen.get(agent);
    const became =
      found === undefined ? (isAll ? 'left' : null) : becameOf(found, { rollOut, version, toldAt, now, settleMs });
    if (became === null) continue;
    delete rollOut.underWay[agent];
    if (became === 'well') rollOut.well++;
    else if (became !== 'left') failures.push({ agent, reason: became.failed });
  }
  for (const failure of failures) rollOut.failures.push({ ...failure, at: now });
  rollOut.failures = rollOut.failures.slice(-MAX_NAMED_FAILURES);
  if (failures.length > 0 && rollOut.state === 'going') rollOut.state = 'stopped';
  if (rollOut.state !== 'going') return { rollOut, failures, needsAll: false };

  const waiting = agents.filter(({ agent, site }) => {
    const mayBegin = isCandidate({ agent, site }, version) && agent.state === 'online';
    return mayBegin && rollOut.underWay[agent.id] === undefined;
  });
  tell(rollOut, waiting, now);
  while (isAll && isOver(rollOut, waiting)) {
    begin(rollOut, agents, now);
    tell(rollOut, waiting, now);
  }
  return { rollOut, failures, needsAll: !isAll && isOver(rollOut, null) };
}

/** Whether the agent may be told to become the release now, by the row alone; `null` where there is none of this release. */
export function mayConcern(rollOut: RollOut | null, version: string, agent: AgentId): boolean {
  if (rollOut?.version !== version) return true;
  return rollOut.underWay[agent] !== undefined || (rollOut.state === 'going' && roomOf(rollOut) > 0);
}

/** What the plan of an agent says of updates. */
export function plannedUpdate(rollOut: RollOut | null, agent: AgentId): { version: string } | undefined {
  if (rollOut?.state !== 'going' || rollOut.underWay[agent] === undefined) return undefined;
  return { version: rollOut.version };
}

/** It goes on with those that were told already, as if they were told now. */
export function goneOn(rollOut: RollOut, now: number): RollOut {
  const underWay = Object.fromEntries(Object.keys(rollOut.underWay).map((agent) => [agent, now]));
  return { ...rollOut, state: 'going', underWay };
}

/** What became of those that were told is their own affair from now on. */
export function givenUp(rollOut: RollOut): RollOut {
  return { ...rollOut, state: 'given-up', underWay: {} };
}

/** The ring of an agent that takes part. */
export function ringOf(rollOut: RollOut | null, agent: AgentId): Ring {
  return rollOut?.early[agent] ?? 3;
}

function begun(version: string, now: number): RollOut {
  return { version, state: 'going', ring: 1, since: now, size: 1, well: 0, early: {}, underWay: {}, failures: [] };
}

const copyOf = (rollOut: RollOut): RollOut => structuredClone(rollOut);
const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : one > other ? 1 : 0;

/** `left`: its site or itself does not want it any more, or it is gone. Null while it is not known. */
function becameOf(
  { agent: { state, since, version: runs, update }, site }: SeenAgent,
  {
    rollOut,
    version,
    toldAt,
    now,
    settleMs,
  }: { rollOut: RollOut; version: string; toldAt: number; now: number; settleMs: number },
): 'well' | 'left' | { failed: string } | null {
  const last = lastOf(update, version);
  if (last?.state === 'failed') return { failed: last.reason ?? 'it does not say why' };
  const isOnline = state === 'online';
  const forMs = now - (since === null ? now : Date.parse(since));
  // Or a newer one, which somebody has installed by hand.
  const runsIt = runs !== null && !isOlder(runs, version) && last?.state !== 'installing';
  if (runsIt && isOnline && forMs >= settleMs) return 'well';
  if (site.updates.mode !== 'auto' || update?.able !== true) return 'left';
  // While it is stopped, nobody was told to go on.
  const isSilent = !isOnline
    ? Math.min(forMs, now - toldAt) >= SILENT_AFTER_MS
    : !runsIt && now - toldAt >= SILENT_AFTER_MS;
  if (rollOut.state !== 'going') return null;
  if (runsIt && !isSilent && now - toldAt >= RESTLESS_AFTER_MS)
    return { failed: 'it runs the release, but has not stayed connected within six hours' };
  if (!isSilent) return null;
  return { failed: isOnline ? 'it has not begun or not ended within an hour' : 'it was not heard of for an hour' };
}

function lastOf(update: UpdateState | null, version: string): UpdateState['last'] {
  return update?.last?.version === version ? update.last : null;
}

/** Whether an agent could become the release at some time. One that has failed with it is left alone. */
function isCandidate({ agent, site }: SeenAgent, version: string): boolean {
  const { update } = agent;
  const isWanted = site.updates.mode === 'auto' && update?.able === true && isOlder(agent.version, version);
  return isWanted && lastOf(update, version)?.state !== 'failed';
}

/** How many more agents may be told now. */
function roomOf({ ring, size, well, underWay }: RollOut): number {
  const busy = Object.keys(underWay).length;
  return Math.min(MAX_AT_ONCE, ring === 3 ? Number.POSITIVE_INFINITY : size - well) - busy;
}

/** Tells as many as there is room for: any of them, and not always the same. */
function tell(rollOut: RollOut, waiting: readonly SeenAgent[], now: number): void {
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
 * The first ring needs its agent. The second is over, too, when nobody is left who is connected: those that are away, or that
 * have failed, do not hold up the others.
 * @param waiting null where they are not known
 */
function isOver({ ring, size, well, underWay }: RollOut, waiting: readonly SeenAgent[] | null): boolean {
  if (ring === 3 || Object.keys(underWay).length > 0) return false;
  return well >= size || (ring === 2 && waiting?.length === 0);
}

/** Begins the ring after this one. */
function begin(rollOut: RollOut, agents: readonly SeenAgent[], now: number): void {
  const able = agents.filter(({ agent, site }) => site.updates.mode === 'auto' && agent.update?.able === true).length;
  rollOut.ring = rollOut.ring === 1 ? 2 : 3;
  rollOut.size = rollOut.ring === 2 ? Math.min(MAX_AT_ONCE, Math.max(1, Math.ceil(able / 10))) : 0;
  rollOut.well = 0;
  rollOut.since = now;
}
