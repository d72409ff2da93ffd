/** Chooses the program to start: the one of the package, or one that an update has installed. Pure. */
import { compareVersions } from '../../shared/agent/version-order.ts';
import type { InstalledProgram, UpdateRecord } from './record.ts';

/** Bound of the starts of a program on trial. */
export const MAX_STARTS = 3;

/** The input of the choice, beside the record. */
export interface Surroundings {
  packaged: string;
  node: string;
  /** Whether the file of a program has its recorded digest. */
  isIntact(program: InstalledProgram): boolean;
  now: number;
}

export interface Choice {
  /** Null: the packaged one. */
  program: InstalledProgram | null;
  isTrial: boolean;
  /** To be written before the program starts. */
  record: UpdateRecord;
}

/** The first newer than the packaged one: that on trial, while it has starts left, or the proven one; else that. */
export function chooseProgram(record: UpdateRecord, surroundings: Surroundings): Choice {
  const { trial } = record;
  if (trial !== null) {
    if (!isNewer(trial, surroundings)) return chooseProgram(overtaken(record, surroundings), surroundings);
    const fault = faultOf(trial, surroundings);
    if (fault !== null) return chooseProgram(failTrial(record, fault, surroundings.now), surroundings);
    if (trial.starts >= MAX_STARTS) {
      const reason = `it ended ${MAX_STARTS} times before it was found healthy; the log of the agent may say why`;
      return chooseProgram(giveUp(record, reason, surroundings.now), surroundings);
    }
    return { program: trial, isTrial: true, record: { ...record, trial: { ...trial, starts: trial.starts + 1 } } };
  }
  const { proven } = record;
  if (proven === null) return { program: null, isTrial: false, record };
  if (!isNewer(proven, surroundings)) return { program: null, isTrial: false, record: { ...record, proven: null } };
  const fault = faultOf(proven, surroundings);
  if (fault === null) return { program: proven, isTrial: false, record };
  return { program: null, isTrial: false, record: leaveProven(record, fault, surroundings.now) };
}

function isNewer({ version }: InstalledProgram, { packaged }: Surroundings): boolean {
  return compareVersions(version, packaged) > 0;
}

/** The package contains the version on trial, or a newer one. */
function overtaken(record: UpdateRecord, { packaged, now }: Surroundings): UpdateRecord {
  const isSame = record.trial?.version === packaged;
  return { ...record, trial: null, last: isSame ? { version: packaged, state: 'done', reason: null, at: now } : null };
}

/** Why a program cannot start; null when it can. */
function faultOf(program: InstalledProgram, { node, isIntact }: Surroundings): string | null {
  if (isNodeTooOld(program.node, node)) return nodeTooOld(program.node, node);
  return isIntact(program) ? null : 'its file is missing or damaged';
}

/** @param node a version of Node.js, possibly with a suffix */
export function isNodeTooOld(needed: string, node: string): boolean {
  return compareVersions(needed, node.replace(/^v|[^\d.].*$/g, '')) > 0;
}

export function nodeTooOld(needed: string, node: string): string {
  return `it needs Node.js ${needed} or newer, and this host runs it with ${node}`;
}

/** Abandons the program on trial. Its version may be installed again. */
function failTrial(record: UpdateRecord, reason: string, now: number): UpdateRecord {
  if (record.trial === null) return record;
  const { version } = record.trial;
  return { ...record, trial: null, last: { version, state: 'failed', reason, at: now } };
}

/** Abandons the program on trial for good: its version is not installed again. */
export function giveUp(record: UpdateRecord, reason: string, now: number): UpdateRecord {
  if (record.trial === null) return record;
  return { ...failTrial(record, reason, now), givenUp: record.trial.version };
}

/** Abandons the proven program for that of the package. Its version may be installed again. */
export function leaveProven(record: UpdateRecord, reason: string, now: number): UpdateRecord {
  if (record.proven === null) return record;
  return { ...record, proven: null, last: { version: record.proven.version, state: 'failed', reason, at: now } };
}

/** Promotes the program on trial, which is healthy. */
export function prove(record: UpdateRecord, now: number): UpdateRecord {
  if (record.trial === null) return record;
  const { starts: _, ...proven } = record.trial;
  const last = { version: proven.version, state: 'done', reason: null, at: now } as const;
  return { proven, trial: null, givenUp: null, last };
}
