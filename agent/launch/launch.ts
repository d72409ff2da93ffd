/**
 * Prepares a start: chooses among the programs in the state directory, counts the start of one on trial, and cleans up.
 *
 * Root runs nothing from the state directory of another user, and no user runs anything from one that others can change:
 * then, and whenever reading or writing fails, the packaged program starts.
 */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { STATE } from '../state/layout.ts';
import { isLocked } from '../state/lock-socket.ts';
import { requireOwn } from '../state/ownership.ts';
import { type Choice, chooseProgram, giveUp, leaveProven, type Surroundings } from './choice.ts';
import { type InstalledProgram, isIntact, readRecord, removeUnnamed, writeRecord } from './record.ts';

/** Exit status that requests a restart: EX_TEMPFAIL of sysexits. */
export const START_AGAIN = 75;
/** Exit status of an agent that needs its operator: no supervisor restarts it. */
const NEEDS_OPERATOR = 2;

/** The folder of the programs; null without one from which this user may run programs. */
export function folderOfPrograms(stateDirectory: string): string | null {
  try {
    const folder = join(stateDirectory, STATE.update);
    const entry = lstatSync(folder);
    if (!entry.isDirectory()) return null;
    requireOwn('The state directory', stateDirectory, statSync(stateDirectory));
    requireOwn('The folder', folder, entry);
    return folder;
  } catch {
    return null;
  }
}

/** Chooses the program to start. Counts and removes nothing while another agent uses the state directory. */
export async function prepareStart(stateDirectory: string, folder: string, packaged: string): Promise<Choice> {
  const isInUse = await isLocked(stateDirectory).catch(() => true);
  return chooseAndRecord(folder, { packaged, node: process.versions.node, now: Date.now() }, !isInUse);
}

export function chooseAndRecord(folder: string, about: Omit<Surroundings, 'isIntact'>, mayWrite: boolean): Choice {
  const surroundings = { ...about, isIntact: (program: InstalledProgram) => isIntact(folder, program) };
  const before = readRecord(folder);
  const choice = chooseProgram(before, surroundings);
  if (!mayWrite) return choice;
  try {
    if (choice.record !== before) writeRecord(folder, choice.record);
  } catch {
    // A program on trial must not start uncounted: it could fail for ever.
    return choice.isTrial ? chooseProgram({ ...before, trial: null }, surroundings) : choice;
  }
  try {
    removeUnnamed(folder, choice.record);
  } catch {} // Left-over files do no harm.
  return choice;
}

/** Records that a program is unhealthy, if it is still on trial. @returns whether it was */
export function endTrial(folder: string, version: string, reason: string): boolean {
  const record = readRecord(folder);
  if (record.trial?.version !== version) return false;
  writeRecord(folder, giveUp(record, reason, Date.now()));
  return true;
}

/** Records that a program, on trial or proven, must not start again. */
export function leaveProgram(folder: string, version: string, reason: string): void {
  if (endTrial(folder, version, reason)) return;
  const record = readRecord(folder);
  if (record.proven?.version === version) writeRecord(folder, leaveProven(record, reason, Date.now()));
}

/** The exit status of a process that started with a program on trial: requests a restart when another program is next. */
export function statusAfterTrial(folder: string, version: string, status: number): number {
  const { trial, givenUp } = readRecord(folder);
  if (givenUp === version) return START_AGAIN;
  return status === NEEDS_OPERATOR && trial !== null ? START_AGAIN : status;
}
