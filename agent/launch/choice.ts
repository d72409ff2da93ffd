/** Which program is started: the one of the package, or one that an update has installed. Decides, and touches nothing. */
import { compareVersions } from '../../shared/agent/version-order.ts';
import type { InstalledProgram, UpdateRecord } from './record.ts';

/** How often a program is started that was not found healthy yet. */
export const MAX_STARTS = 3;

/** What the choice depends on beside the record. */
export interface Surroundings {
  /** The version of the packaged program. */
  packaged: string;
  /** The version of the Node.js that runs the launcher. */
  node: string;
  /** Whether the file of a program is as it was written. */
  isIntact(program: InstalledProgram): boolean;
  /** Unix, ms. */
  now: number;
}

export interface Choice {
  /** Null: the packaged one. */
  program: InstalledProgram | null;
  isTrial: boolean;
  /** What is to be recorded before it is started. */
  record: UpdateRecord;
}

/**
 * The program on trial while it has starts left, else the proven one, else the packaged one, which also goes before any
 * that is not newer: somebody has upgraded the package.
 */
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

/** The package brings what was on trial, or something newer. */
function overtaken(record: UpdateRecord, { packaged, now }: Surroundings): UpdateRecord {
  const isSame = record.trial?.version === packaged;
  return { ...record, trial: null, last: isSame ? { version: packaged, state: 'done', reason: null, at: now } : null };
}

/** Why a program cannot be started, whatever its code does; null when it can. */
function faultOf(program: InstalledProgram, { node, isIntact }: Surroundings): string | null {
  if (isNodeTooOld(program.node, node)) return nodeTooOld(program.node, node);
  return isIntact(program) ? null : 'its file is missing or damaged';
}

/** @param node a version of Node.js, which may have more after its three numbers */
export function isNodeTooOld(needed: string, node: string): boolean {
  return compareVersions(needed, node.replace(/^v|[^\d.].*$/g, '')) > 0;
}

export function nodeTooOld(needed: string, node: string): string {
  return `it needs Node.js ${needed} or newer, and this host runs it with ${node}`;
}

/** The program on trial is left, and may be installed anew. */
function failTrial(record: UpdateRecord, reason: string, now: number): UpdateRecord {
  if (record.trial === null) return record;
  const { version } = record.trial;
  return { ...record, trial: null, last: { version, state: 'failed', reason, at: now } };
}

/** The program on trial is left for good: its version is not installed again. */
export function giveUp(record: UpdateRecord, reason: string, now: number): UpdateRecord {
  if (record.trial === null) return record;
  return { ...failTrial(record, reason, now), givenUp: record.trial.version };
}

/** The proven program is left for that of the package, and may be installed anew. */
export function leaveProven(record: UpdateRecord, reason: string, now: number): UpdateRecord {
  if (record.proven === null) return record;
  return { ...record, proven: null, last: { version: record.proven.version, state: 'failed', reason, at: now } };
}

/** The program on trial is healthy, and takes the place of the one before. */
export function prove(record: UpdateRecord, now: number): UpdateRecord {
  if (record.trial === null) return record;
  const { starts: _, ...proven } = record.trial;
  const last = { version: proven.version, state: 'done', reason: null, at: now } as const;
  return { proven, trial: null, givenUp: null, last };
}
