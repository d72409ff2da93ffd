/**
 * The journal and the upstream log that a previous agent left in the state directory. The agent that is enrolled there now
 * must not send them, because it would send them under its own name.
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import type { AgentId } from '../../shared/identity.ts';
import { syncDirectory } from '../state/atomic-file.ts';
import { folderForResultsOf, STATE } from '../state/layout.ts';
import { UpstreamLog } from '../upstream/upstream-log.ts';

/**
 * Clears the directory for another agent. Results that were never sent are moved into a folder for the operator; no
 * agent sends them any more.
 * @param previous null when the previous agent is not known
 * @returns the number of results and the folder that holds them now, with the journal; null when there were none
 */
export async function quarantine(
  directory: string,
  previous: AgentId | null,
  now = new Date(),
): Promise<{ results: number; folder: string } | null> {
  // Another agent has settings and a plan of its own, and begins to look and to measure anew.
  for (const name of [STATE.discoverySettings, STATE.knownDevices, STATE.plan]) {
    await rm(join(directory, name), { recursive: true, force: true });
  }
  const paths = [STATE.upstream, STATE.journal].map((name) => ({ name, path: join(directory, name) }));
  const results = await resultsIn(join(directory, STATE.upstream));
  if (results === 0) {
    for (const { path } of paths) await rm(path, { force: true });
    return null;
  }
  const folder = join(directory, folderForResultsOf(previous, now));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { name, path } of paths) await rename(path, join(folder, name)).catch(ignoreAbsent);
  await syncDirectory(directory);
  return { results, folder: resolve(folder) };
}

async function resultsIn(path: string): Promise<number> {
  const upstream = await UpstreamLog.open(path, { error() {}, warn() {} });
  const { length } = upstream.waiting('result');
  await upstream.close();
  return length;
}

function ignoreAbsent(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
