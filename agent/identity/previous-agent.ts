/**
 * The journal and the results that a previous agent left in the state directory. The agent that is enrolled there now
 * must not send them, because it would send them under its own name.
 */
import { readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import type { AgentId } from '../../shared/identity.ts';
import { syncDirectory } from '../state/atomic-file.ts';
import { folderForResultsOf, STATE } from '../state/layout.ts';

/**
 * Clears the directory for another agent. Results that were never sent are moved into a folder for the operator; no
 * agent sends them any more.
 * @param previous null when the previous agent is not known
 * @returns the number of results and the folder that holds them now, with the journal beside it; null when there were
 *   none
 */
export async function quarantine(
  directory: string,
  previous: AgentId | null,
  now = new Date(),
): Promise<{ results: number; folder: string } | null> {
  // Another agent has settings and a plan of its own, and begins to look and to measure anew.
  for (const name of [STATE.discoverySettings, STATE.knownDevices, STATE.plan, STATE.upstream]) {
    await rm(join(directory, name), { recursive: true, force: true });
  }
  const results = (await namesIn(join(directory, STATE.spool))).filter((name) => name.endsWith('.json')).length;
  if (results === 0) {
    await rm(join(directory, STATE.journal), { force: true });
    await rm(join(directory, STATE.spool), { recursive: true, force: true });
    return null;
  }
  const folder = join(directory, folderForResultsOf(previous, now));
  await rename(join(directory, STATE.spool), folder);
  await rename(join(directory, STATE.journal), `${folder}.jsonl`).catch(ignoreAbsent);
  await syncDirectory(directory);
  return { results, folder: resolve(folder) };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    // Something that is not a folder holds no results either.
    if (codeOf(error) !== 'ENOTDIR') ignoreAbsent(error);
    return [];
  });
}

function ignoreAbsent(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
