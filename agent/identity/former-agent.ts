/**
 * What another agent has left in a state directory. Its requests and its results are none of the agent that is enrolled
 * there now, which would send them under its own name.
 */
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import type { AgentId } from '../../shared/identity.ts';
import { syncDirectory } from '../state/atomic-file.ts';
import { folderForResultsOf, STATE } from '../state/layout.ts';
import { removeTree } from '../state/remove-tree.ts';

/**
 * Clears the directory for another agent. Results that were never sent are put aside, whoever may want them; nothing
 * sends them any more.
 * @param former null when it is not known whose they are
 * @returns how many they are, and the folder in which they lie now, with the journal beside it; null when there were none
 */
export async function setAside(
  directory: string,
  former: AgentId | null,
  now = new Date(),
): Promise<{ results: number; folder: string } | null> {
  const results = (await namesIn(join(directory, STATE.spool))).filter((name) => name.endsWith('.json')).length;
  if (results === 0) {
    await rm(join(directory, STATE.journal), { force: true });
    await removeTree(join(directory, STATE.spool));
    return null;
  }
  const folder = join(directory, folderForResultsOf(former, now));
  // Renamed where they are, and not moved into a folder of their own: the user of the service, who may write here, is
  // not trusted by root, and could put a link in that folder's place before anything is in it.
  await rename(join(directory, STATE.spool), folder);
  await rename(join(directory, STATE.journal), `${folder}.jsonl`).catch(ignoreAbsent);
  await syncDirectory(directory);
  return { results, folder };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    // What is no folder holds no results either.
    if (codeOf(error) !== 'ENOTDIR') ignoreAbsent(error);
    return [];
  });
}

function ignoreAbsent(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
