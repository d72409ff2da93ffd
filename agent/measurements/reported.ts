/** What the service knows of each check, by the last change about each subject: the agent reports no state twice. */
import { Change } from '../../shared/agent/measurements.ts';
import type { PlanItemId } from '../../shared/agent/plan.ts';

export interface ReportedState {
  readonly ok?: boolean | undefined;
  /** Of an internet outage: whether the gateway answered. */
  readonly gateway?: boolean | null | undefined;
  /** When it expires, and when the agent reported that. */
  readonly certificate?: { endsAt: number; at: number } | undefined;
  readonly hops?: readonly string[] | undefined;
}

/** What a change is about: a later one about the same subject supersedes it. */
export function subjectOf(change: Change): string {
  if ('check' in change) return `${change.t === 'internet' ? 'check' : change.t} ${change.check}`;
  return change.t === 'missed' ? `missed ${change.schedule}` : change.t;
}

/** @param known the last change about a subject */
export function reportedState(check: PlanItemId, known: (subject: string) => unknown): ReportedState {
  const last = (t: Change['t']) => Change.safeParse(known(`${t} ${check}`)).data;
  const [state, certificate, path] = [last('check'), last('certificate'), last('path')];
  return {
    ...(state?.t === 'check' || state?.t === 'internet' ? { ok: state.ok } : {}),
    ...(state?.t === 'internet' ? { gateway: state.gateway } : {}),
    ...(certificate?.t === 'certificate' ? { certificate } : {}),
    ...(path?.t === 'path' ? { hops: path.hops } : {}),
  };
}

/** Whether a subject belongs to a schedule, or to a check that is not among these. */
export function isOfOthers(subject: string, checks: ReadonlySet<PlanItemId>): boolean {
  const [, item] = subject.split(' ');
  return item !== undefined && !checks.has(item);
}
