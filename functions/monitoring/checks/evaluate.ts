/**
 * Whether a check is down: when all connected agents that run it report failure. Agents report when a check fails or recovers;
 * their reports become the state of the site and its events. Reports count only from agents whose plan has the check.
 */
import { fitToReport } from '../../../shared/agent/fit-text.ts';
import {
  BATCH_MS,
  type Change,
  MAX_REASON_CHARACTERS,
  type MeasurementsBody,
} from '../../../shared/agent/measurements.ts';
import { canonicalAddress } from '../../../shared/network.ts';
import { startOf } from '../../../shared/text.ts';
import type { Occurrence } from '../../devices/collection/change-row.ts';
import { type Observed, unchanged } from '../outages/observe.ts';
import type { SiteState } from '../outages/site-state.ts';
import type { MadeCheck } from './check-makers.ts';
import type { StoredCheck } from './check-store.ts';

interface Reporter {
  agent: string;
  now: Date;
  /** Computed with this agent among the connected ones. */
  checks(): Promise<readonly MadeCheck[]>;
}

type ChangeOf<T extends Change['t']> = Extract<Change, { t: T }>;

export async function takeCheck(state: SiteState, change: ChangeOf<'check'>, reporter: Reporter): Promise<Observed> {
  const made = await checkOf(change, reporter);
  // The loss of the internet is reported by a change of its own.
  if (made === null || (made.check.kind === 'internet' && !change.ok)) return unchanged(state);
  const { id } = made.check;
  const at = Math.min(change.at, reporter.now.getTime());
  const { [reporter.agent]: known, ...others } = state.failing[id] ?? {};
  if (change.ok) {
    const after = known === undefined ? state : { ...state, failing: withEntry(state.failing, id, others) };
    return recovered(after, made.check, at);
  }
  if (known !== undefined) return unchanged(state);
  const reason = fitToReport(change.reason ?? '', MAX_REASON_CHARACTERS) ?? '';
  const failing = {
    ...state.failing,
    [id]: { ...others, [reporter.agent]: { since: at, reason, reasonCode: change.reasonCode } },
  };
  return evaluated({ ...state, failing }, made, 0);
}

export async function takeCertificate(
  state: SiteState,
  change: ChangeOf<'certificate'>,
  reporter: Reporter,
): Promise<Observed> {
  const made = await checkOf(change, reporter);
  if (made === null) return unchanged(state);
  const { id } = made.check;
  const { endsAt } = change;
  const known = state.certificates[id];
  const left = Math.max(0, Math.ceil((endsAt - reporter.now.getTime()) / 86_400_000));
  const days = WARN_DAYS.find((limit) => left <= limit);
  const warned = known?.told ?? null;
  // Both agents report it, and a server may alternate between several certificates.
  const isNew = change.soon && days !== undefined && (warned?.endsAt !== endsAt || days < warned.days);
  if (known?.endsAt === endsAt && !isNew) return unchanged(state);
  const certificate = { endsAt, told: isNew ? { endsAt, days } : warned };
  const detail = { endsAt: new Date(endsAt).toISOString(), days: left };
  return {
    state: { ...state, certificates: { ...state.certificates, [id]: certificate } },
    occurrences: isNew ? [event('certificate-ending', made.check, reporter.now.getTime(), detail)] : [],
  };
}

export async function takePath(state: SiteState, change: ChangeOf<'path'>, reporter: Reporter): Promise<Observed> {
  const made = await checkOf(change, reporter);
  const seen = withoutSilentEnd(change.hops.map((hop) => canonicalAddress(hop) ?? ''));
  if (made?.check.kind !== 'site' || seen.length === 0) return unchanged(state);
  const { id } = made.check;
  const { [reporter.agent]: known, ...others } = state.paths[id] ?? {};
  const isSame = known !== undefined && isSamePath(known, seen);
  // A hop that replies only now and then does not change the path.
  const hops = isSame ? known.map((hop, i) => hop || (seen[i] ?? '')) : seen;
  if (isSame && hops.every((hop, i) => hop === known[i])) return unchanged(state);
  const after = { ...state, paths: { ...state.paths, [id]: { ...others, [reporter.agent]: hops } } };
  if (known === undefined || isSame) return unchanged(after);
  const at = Math.min(change.at, reporter.now.getTime());
  const detail = { from: pathText(known), to: pathText(hops) };
  return { state: after, occurrences: [event('route-changed', made.check, at, detail)] };
}

/**
 * Evaluates all checks again when other agents are connected: reports of an agent that is gone no longer count, so those of
 * the others decide. Drops the state of checks that no longer exist.
 * @param checks all enabled ones, with the agents that run them now
 * @param connected the names of the agents
 * @param at when that changed (Unix, ms)
 */
export function reevaluate(
  before: SiteState,
  checks: readonly MadeCheck[],
  connected: ReadonlySet<string>,
  at: number,
): Observed {
  let state = onlyOf(before, new Set(checks.map(({ check }) => check.id)));
  const occurrences: Occurrence[] = [];
  for (const made of checks) {
    const { id } = made.check;
    const failing = Object.entries(state.failing[id] ?? {});
    // An agent that no longer runs a check, and later runs it again, starts without a report.
    const kept = failing.filter(([agent]) => made.makers.includes(agent) || !connected.has(agent));
    if (kept.length < failing.length)
      state = { ...state, failing: withEntry(state.failing, id, Object.fromEntries(kept)) };
    const after = evaluated(state, made, at);
    state = after.state;
    occurrences.push(...after.occurrences);
  }
  return { state, occurrences };
}

/**
 * Recoveries that follow from an agent's points, for checks whose present success is unknown: the agent reported it before, or
 * does not report it because for the agent nothing has changed. So an agent that is back counts again; an agent that catches
 * up with late points does not.
 */
export function recoveriesIn(
  { failing, upSince, downSince }: SiteState,
  agent: string,
  points: MeasurementsBody['points'],
  now: Date,
): Change[] {
  // A message in time has at most one more batch behind it, and takes less than a minute.
  if (points === null || points.from + 2 * BATCH_MS + 60_000 < now.getTime()) return [];
  return points.checks.flatMap(([check, runs]) => {
    const [seconds = 0, rttMs = null] = runs.at(-1) ?? [];
    const at = points.from + seconds * 1000;
    const fault = failing[check]?.[agent];
    const isKnown = upSince[check] !== undefined && downSince[check] === undefined && fault === undefined;
    if (rttMs === null || isKnown || at <= (fault?.since ?? 0)) return [];
    return [{ t: 'check', check, at, ok: true }];
  });
}

/** Days before the end of a certificate. */
const WARN_DAYS = [1, 7, 21];

async function checkOf({ check: id }: { check: string }, { agent, checks }: Reporter): Promise<MadeCheck | null> {
  const made = (await checks()).find(({ check }) => check.id === id);
  return made?.makers.includes(agent) ? made : null;
}

/** One success is enough. */
function recovered(state: SiteState, check: StoredCheck, at: number): Observed {
  const { id } = check;
  const { [id]: down, ...downSince } = state.downSince;
  if (down === undefined) {
    if (state.upSince[id] !== undefined) return unchanged(state);
    return unchanged({ ...state, upSince: { ...state.upSince, [id]: at } });
  }
  const seconds = Math.max(0, Math.round((at - down) / 1000));
  return {
    state: { ...state, upSince: { ...state.upSince, [id]: at }, downSince },
    occurrences: [event('check-up', check, at, { seconds })],
  };
}

/** Down when all agents that run it report failure. @param at since when it is these agents (Unix, ms) */
function evaluated(state: SiteState, { check, makers }: MadeCheck, at: number): Observed {
  const { id } = check;
  const failures = makers.flatMap((agent) => state.failing[id]?.[agent] ?? []);
  const isUndecided = failures.length === 0 || failures.length < makers.length;
  if (state.downSince[id] !== undefined || isUndecided) return unchanged(state);
  const since = Math.max(at, ...failures.map((one) => one.since));
  const { [id]: _, ...upSince } = state.upSince;
  const { reason, reasonCode } = failures.find((one) => one.reason !== '') ?? { reason: '' };
  return {
    state: { ...state, upSince, downSince: { ...state.downSince, [id]: since } },
    occurrences: [{ ...event('check-down', check, since, { reason }), reasonCode }],
  };
}

function event(
  type: Occurrence['type'],
  { id, label, device }: StoredCheck,
  at: number,
  detail: NonNullable<Occurrence['detail']>,
): Occurrence {
  return {
    type,
    at: Math.floor(at / 1000),
    ...(device === undefined ? {} : { device }),
    subject: { kind: 'check', id, name: label },
    detail,
  };
}

const BY_CHECK = ['failing', 'upSince', 'downSince', 'certificates', 'paths'] as const;

export const keepsChecks = (state: SiteState): boolean => idsIn(state).length > 0;

const idsIn = (state: SiteState) => BY_CHECK.flatMap((part) => Object.keys(state[part]));

function onlyOf(state: SiteState, ids: ReadonlySet<string>): SiteState {
  if (idsIn(state).every((id) => ids.has(id))) return state;
  const kept = BY_CHECK.map((part) => {
    return [part, Object.fromEntries(Object.entries(state[part]).filter(([id]) => ids.has(id)))];
  });
  return { ...state, ...Object.fromEntries(kept) };
}

/** The record with another entry, or without it when that is empty. */
function withEntry<Value extends object>(record: Record<string, Value>, id: string, value: Value) {
  if (Object.keys(value).length > 0) return { ...record, [id]: value };
  const { [id]: _, ...others } = record;
  return others;
}

function withoutSilentEnd(hops: readonly string[]): string[] {
  return hops.slice(0, hops.findLastIndex((hop) => hop !== '') + 1);
}

function isSamePath(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((hop, i) => hop === '' || after[i] === '' || hop === after[i]);
}

const pathText = (hops: readonly string[]): string => startOf(hops.map((hop) => hop || '*').join(' → '), 500);
