/**
 * What another agent has left in a state directory. Its requests and its results are none of the agent that is enrolled
 * there now, which would send them under its own name.
 */
import { lchown, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentId } from '../shared/identity.ts';
import { syncDirectory } from './atomic-file.ts';

const JOURNAL = 'journal.jsonl';
const SPOOL = 'spool';

/**
 * Clears the directory for another agent. Results that were never sent are put aside, whoever may want them; nothing
 * sends them any more.
 * @param former null when it is not known whose they are
 * @returns how many they are, and the folder in which they lie now; null when there were none
 */
export async function setAside(
  directory: string,
  former: AgentId | null,
  now = new Date(),
): Promise<{ results: number; folder: string } | null> {
  const results = (await namesIn(join(directory, SPOOL))).filter((name) => name.endsWith('.json')).length;
  if (results === 0) {
    await rm(join(directory, JOURNAL), { force: true });
    await rm(join(directory, SPOOL), { recursive: true, force: true });
    return null;
  }
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '');
  const folder = join(directory, `former-${(former ?? 'unknown').replace(':', '-')}-${time}`);
  // Made anew, and where it is said to be: the user of the service, who may write here, is not trusted by root.
  await mkdir(folder, { mode: 0o700 });
  const owner = await stat(directory);
  await lchown(folder, owner.uid, owner.gid);
  await rename(join(directory, SPOOL), join(folder, SPOOL));
  await rename(join(directory, JOURNAL), join(folder, JOURNAL)).catch(ignoreAbsent);
  await syncDirectory(folder);
  await syncDirectory(directory);
  return { results, folder };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    ignoreAbsent(error);
    return [];
  });
}

function ignoreAbsent(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
