/** The journal and the upstream log of a previous agent, which the one enrolled now would send under its own name. */
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AgentId } from '../../shared/identity.ts';
import { syncDirectory } from '../state/atomic-file.ts';
import { folderForResultsOf, STATE } from '../state/layout.ts';
import { nullIfAbsent } from '../state/optional-file.ts';
import { UpstreamLog } from '../upstream/upstream-log.ts';

/**
 * Clears the directory for another agent. Moves unsent results into a folder for the operator; no agent sends them.
 * @param previous null when the previous agent is not known
 * @returns the number of results and the folder that holds them, with the journal; null when there were none
 */
export async function quarantine(
  directory: string,
  previous: AgentId | null,
  now = new Date(),
): Promise<{ results: number; folder: string } | null> {
  // The new agent has settings, a plan and discovery of its own.
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
  for (const { name, path } of paths) await nullIfAbsent(rename(path, join(folder, name)));
  await syncDirectory(directory);
  return { results, folder: resolve(folder) };
}

async function resultsIn(path: string): Promise<number> {
  const upstream = await UpstreamLog.open(path, { error() {}, warn() {} });
  const { length } = upstream.waiting('result');
  await upstream.close();
  return length;
}
