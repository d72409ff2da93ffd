/**
 * Prepares a start: looks which programs the state directory holds, counts the start of one that is on trial, and tidies.
 *
 * Root runs nothing from the state directory of another user, who may write there, and nobody runs anything from one that
 * others can change: then, and whenever something cannot be read or written, it is the packaged program.
 */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { STATE } from '../state/layout.ts';
import { isLocked } from '../state/lock-socket.ts';
import { requireOwn } from '../state/ownership.ts';
import { type Choice, chooseProgram, giveUp, leaveProven, type Surroundings } from './choice.ts';
import { type InstalledProgram, isIntact, readRecord, removeUnnamed, writeRecord } from './record.ts';

/** The agent ends with this status when it is to be started again: EX_TEMPFAIL of sysexits. */
export const START_AGAIN = 75;
/** The status of an agent that cannot run until somebody changes something, after which nothing starts it again. */
const TO_BE_MENDED = 2;

/** The folder of the programs; null when there is none from which this user may run any. */
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

/** Chooses the program to start. Where another agent runs with the state directory nothing is counted or removed. */
export async function prepareStart(stateDirectory: string, folder: string, packaged: string): Promise<Choice> {
  const isInUse = await isLocked(stateDirectory).catch(() => true);
  return chooseAndRecord(folder, { packaged, node: process.versions.node, now: Date.now() }, !isInUse);
}

/** The same, once it is known whether the folder may be written to. */
export function chooseAndRecord(folder: string, about: Omit<Surroundings, 'isIntact'>, mayWrite: boolean): Choice {
  const surroundings = { ...about, isIntact: (program: InstalledProgram) => isIntact(folder, program) };
  const before = readRecord(folder);
  const choice = chooseProgram(before, surroundings);
  if (!mayWrite) return choice;
  try {
    if (choice.record !== before) writeRecord(folder, choice.record);
  } catch {
    // A start that cannot be counted is none of a program on trial, which could fail again and again.
    return choice.isTrial ? chooseProgram({ ...before, trial: null }, surroundings) : choice;
  }
  try {
    removeUnnamed(folder, choice.record);
  } catch {} // They are in nobody's way.
  return choice;
}

/** Records that a program is not healthy, if it is still on trial. @returns whether it was */
export function endTrial(folder: string, version: string, reason: string): boolean {
  const record = readRecord(folder);
  if (record.trial?.version !== version) return false;
  writeRecord(folder, giveUp(record, reason, Date.now()));
  return true;
}

/** Records that a program is not to be started again, whether it is on trial or proven. */
export function leaveProgram(folder: string, version: string, reason: string): void {
  if (endTrial(folder, version, reason)) return;
  const record = readRecord(folder);
  if (record.proven?.version === version) writeRecord(folder, leaveProven(record, reason, Date.now()));
}

/**
 * The status with which a process ends whose program was on trial when it was started: one after which it is started again,
 * unless it was stopped while it still had a chance.
 */
export function statusAfterTrial(folder: string, version: string, status: number): number {
  const { trial, givenUp } = readRecord(folder);
  if (givenUp === version) return START_AGAIN;
  return status === TO_BE_MENDED && trial !== null ? START_AGAIN : status;
}
