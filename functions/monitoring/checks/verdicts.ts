/**
 * Whether a check is down: the word of all agents that make it and are connected. Agents tell of a check when it fails or
 * works again; what they say here becomes the state of the site and its events. Only agents that are given a check may speak
 * of it.
 */

import { fitToTell } from '../../../shared/agent/fit-text.ts';
import {
  BATCH_MS,
  type Change,
  MAX_REASON_CHARACTERS,
  type MeasurementsBody,
} from '../../../shared/agent/measurements.ts';
import { canonicalAddress } from '../../../shared/network.ts';
import { startOf } from '../../../shared/text.ts';
import type { Told } from '../../devices/collection/change-row.ts';
import type { Observed } from '../outages/observe.ts';
import type { SiteState } from '../outages/site-state.ts';
import type { MadeCheck } from './check-makers.ts';
import type { StoredCheck } from './check-store.ts';

/** Who says something of a check, and what there is to be said something of. */
interface Speaker {
  agent: string;
  now: Date;
  /** With this agent among those that are connected. */
  checks(): Promise<readonly MadeCheck[]>;
}

type ChangeOf<T extends Change['t']> = Extract<Change, { t: T }>;

const asItWas = (state: SiteState): Observed => ({ state, told: [] });

export async function takeCheck(state: SiteState, change: ChangeOf<'check'>, speaker: Speaker): Promise<Observed> {
  const made = await given(change, speaker);
  // That the internet is lost is told by a change of its own.
  if (made === null || (made.check.kind === 'internet' && !change.ok)) return asItWas(state);
  const { id } = made.check;
  const at = Math.min(change.at, speaker.now.getTime());
  const { [speaker.agent]: known, ...others } = state.failing[id] ?? {};
  if (change.ok) {
    const after = known === undefined ? state : { ...state, failing: withEntry(state.failing, id, others) };
    return worksAgain(after, made.check, at);
  }
  if (known !== undefined) return asItWas(state);
  const reason = fitToTell(change.reason ?? '', MAX_REASON_CHARACTERS) ?? '';
  const failing = {
    ...state.failing,
    [id]: { ...others, [speaker.agent]: { since: at, reason, reasonCode: change.reasonCode } },
  };
  return judged({ ...state, failing }, made, 0);
}

export async function takeCertificate(
  state: SiteState,
  change: ChangeOf<'certificate'>,
  speaker: Speaker,
): Promise<Observed> {
  const made = await given(change, speaker);
  if (made === null) return asItWas(state);
  const { id } = made.check;
  const { endsAt } = change;
  const known = state.certificates[id];
  const left = Math.max(0, Math.ceil((endsAt - speaker.now.getTime()) / DAY_MS));
  const days = WARN_DAYS.find((limit) => left <= limit);
  const told = known?.told ?? null;
  // Both agents tell of it, and a server may have several certificates in turn.
  const isNews = change.soon && days !== undefined && (told?.endsAt !== endsAt || days < told.days);
  if (known?.endsAt === endsAt && !isNews) return asItWas(state);
  const certificate = { endsAt, told: isNews ? { endsAt, days } : told };
  const detail = { endsAt: new Date(endsAt).toISOString(), days: left };
  return {
    state: { ...state, certificates: { ...state.certificates, [id]: certificate } },
    told: isNews ? [event('certificate-ending', made.check, speaker.now.getTime(), detail)] : [],
  };
}

export async function takePath(state: SiteState, change: ChangeOf<'path'>, speaker: Speaker): Promise<Observed> {
  const made = await given(change, speaker);
  const seen = withoutSilentEnd(change.hops.map((hop) => canonicalAddress(hop) ?? ''));
  if (made?.check.kind !== 'site' || seen.length === 0) return asItWas(state);
  const { id } = made.check;
  const { [speaker.agent]: known, ...others } = state.paths[id] ?? {};
  const isSame = known !== undefined && isSameWay(known, seen);
  // A hop that answers now and then is no other way.
  const hops = isSame ? known.map((hop, i) => hop || (seen[i] ?? '')) : seen;
  if (isSame && hops.every((hop, i) => hop === known[i])) return asItWas(state);
  const after = { ...state, paths: { ...state.paths, [id]: { ...others, [speaker.agent]: hops } } };
  if (known === undefined || isSame) return { state: after, told: [] };
  const at = Math.min(change.at, speaker.now.getTime());
  return {
    state: after,
    told: [event('route-changed', made.check, at, { from: pathText(known), to: pathText(hops) })],
  };
}

/**
 * What follows for the checks when the agents that are connected are others: one that is gone says nothing any more, so that
 * what the others say holds. What is kept of checks that are no more is dropped.
 * @param checks all that are enabled, with who makes them now
 * @param connected the names of the agents
 * @param at when that was (Unix, ms)
 */
export function verdictsAfter(
  before: SiteState,
  checks: readonly MadeCheck[],
  connected: ReadonlySet<string>,
  at: number,
): Observed {
  let state = onlyOf(before, new Set(checks.map(({ check }) => check.id)));
  const told: Told[] = [];
  for (const made of checks) {
    const { id } = made.check;
    const failing = Object.entries(state.failing[id] ?? {});
    // Who was relieved of a check begins with it anew when it gets it back.
    const kept = failing.filter(([agent]) => made.makers.includes(agent) || !connected.has(agent));
    if (kept.length < failing.length)
      state = { ...state, failing: withEntry(state.failing, id, Object.fromEntries(kept)) };
    const after = judged(state, made, at);
    state = after.state;
    told.push(...after.told);
  }
  return { state, told };
}

/**
 * What the points of an agent say that it has told before, or tells nobody because nothing has changed for it: that a check
 * answers which is not known to. So an agent that comes back has a say again; one that catches up has not.
 */
export function saidByPoints(
  { failing, upSince, downSince }: SiteState,
  agent: string,
  points: MeasurementsBody['points'],
  now: Date,
): Change[] {
  if (points === null || points.from + 2 * BATCH_MS + LATE_MS < now.getTime()) return [];
  return points.checks.flatMap(([check, runs]) => {
    const [seconds = 0, rttMs = null] = runs.at(-1) ?? [];
    const at = points.from + seconds * 1000;
    const fault = failing[check]?.[agent];
    const isKnown = upSince[check] !== undefined && downSince[check] === undefined && fault === undefined;
    if (rttMs === null || isKnown || at <= (fault?.since ?? 0)) return [];
    return [{ t: 'check', check, at, ok: true }];
  });
}

const DAY_MS = 86_400_000;
/** Before the end of a certificate. */
const WARN_DAYS = [1, 7, 21];
/** How long a message may take that is not late. */
const LATE_MS = 60_000;
/** Longest text of a detail of an event. */
const MAX_DETAIL = 500;

/** The check of a change, if its agent is given it; else null. */
async function given({ check: id }: { check: string }, { agent, checks }: Speaker): Promise<MadeCheck | null> {
  const made = (await checks()).find(({ check }) => check.id === id);
  return made?.makers.includes(agent) ? made : null;
}

/** One of those that make it says that it is well, which is enough. */
function worksAgain(state: SiteState, check: StoredCheck, at: number): Observed {
  const { id } = check;
  const { [id]: down, ...downSince } = state.downSince;
  if (down === undefined) {
    if (state.upSince[id] !== undefined) return asItWas(state);
    return asItWas({ ...state, upSince: { ...state.upSince, [id]: at } });
  }
  const seconds = Math.max(0, Math.round((at - down) / 1000));
  return {
    state: { ...state, upSince: { ...state.upSince, [id]: at }, downSince },
    told: [event('check-up', check, at, { seconds })],
  };
}

/** Down is what all say that are asked. @param at since when they are those that are asked (Unix, ms) */
function judged(state: SiteState, { check, makers }: MadeCheck, at: number): Observed {
  const { id } = check;
  const said = makers.flatMap((agent) => state.failing[id]?.[agent] ?? []);
  if (state.downSince[id] !== undefined || said.length === 0 || said.length < makers.length) return asItWas(state);
  const since = Math.max(at, ...said.map((one) => one.since));
  const { [id]: _, ...upSince } = state.upSince;
  const { reason, reasonCode } = said.find((one) => one.reason !== '') ?? { reason: '' };
  return {
    state: { ...state, upSince, downSince: { ...state.downSince, [id]: since } },
    told: [{ ...event('check-down', check, since, { reason }), reasonCode }],
  };
}

function event(type: Told['type'], { id, label, device }: StoredCheck, at: number, detail: Told['detail']): Told {
  return {
    type,
    at: Math.floor(at / 1000),
    ...(device === undefined ? {} : { device }),
    subject: { kind: 'check', id, name: label },
    ...(detail === undefined ? {} : { detail }),
  };
}

/** Those parts of the state that are kept by check. */
const BY_CHECK = ['failing', 'upSince', 'downSince', 'certificates', 'paths'] as const;

/** Whether a state says something of checks. */
export const keepsChecks = (state: SiteState): boolean => idsIn(state).length > 0;

const idsIn = (state: SiteState) => BY_CHECK.flatMap((part) => Object.keys(state[part]));

function onlyOf(state: SiteState, ids: ReadonlySet<string>): SiteState {
  if (idsIn(state).every((id) => ids.has(id))) return state;
  const only = <Value>(part: Record<string, Value>) =>
    Object.fromEntries(Object.entries(part).filter(([id]) => ids.has(id)));
  return {
    ...state,
    failing: only(state.failing),
    upSince: only(state.upSince),
    downSince: only(state.downSince),
    certificates: only(state.certificates),
    paths: only(state.paths),
  };
}

/** The record with another entry, and without it when that is empty. */
function withEntry<Value extends object>(
  record: Record<string, Value>,
  id: string,
  value: Value,
): Record<string, Value> {
  if (Object.keys(value).length > 0) return { ...record, [id]: value };
  const { [id]: _, ...others } = record;
  return others;
}

function withoutSilentEnd(hops: readonly string[]): string[] {
  return hops.slice(0, hops.findLastIndex((hop) => hop !== '') + 1);
}

function isSameWay(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((hop, i) => hop === '' || after[i] === '' || hop === after[i]);
}

function pathText(hops: readonly string[]): string {
  return startOf(hops.map((hop) => hop || '*').join(' → '), MAX_DETAIL);
}
