/** What becomes of a standby: it waits, and when it is promoted, its copy becomes the data of this server. */
import { mkdirSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { syncDirectory, writeAtomically } from '../agent/state/atomic-file.ts';
import { isLock } from '../agent/state/layout.ts';
import { tokenId } from '../store/access/token.ts';
import type { LocalConfig, StandbyOf } from './config.ts';
import { type DataFolder, openDataFolder, readSecret } from './data-folder.ts';
import { startStandby } from './standby.ts';
import { type CopyInfo, STANDBY_FOLDER, unpackCopy } from './standby-copy.ts';
import { changeState, readState } from './state.ts';
import { termOf } from './succession.ts';

interface Options {
  of: StandbyOf;
  config: LocalConfig;
  version: string;
  log: Logger;
  onStep(part: string, detail: string): void;
  signal: AbortSignal;
}

/**
 * Waits as a standby until it is promoted, and takes over.
 * @returns whether this server is to serve now; false when it was stopped before
 */
export async function standBy({ of, config, version, log, onStep, signal }: Options): Promise<boolean> {
  const data = await openDataFolder(config.dataFolder);
  try {
    if (await hasTakenOver(data, of)) {
      onStep('standby', `has taken over from ${of.url} before, and serves`);
      return true;
    }
    const token = await readToken(of.tokenFile);
    const standby = await startStandby({ of, token, config, data, version, log, onStep });
    const stopped = new Promise<null>((resolve) => {
      if (signal.aborted) resolve(null);
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    const copy = await Promise.race([standby.promoted, stopped]);
    if (copy === null) {
      await standby.close();
      return false;
    }
    await takeOver(data, copy, token);
    onStep('standby', `takes over from ${of.url} with the copy of ${copy.madeAt}`);
    return true;
  } finally {
    data.release();
  }
}

/** Whether this server counts since a promotion, and not the other one once more. */
async function hasTakenOver(data: DataFolder, { url }: StandbyOf): Promise<boolean> {
  const { hasTakenOver, term, supersededBy } = await readState(data);
  if (!hasTakenOver || (supersededBy ?? 0) > term) return false;
  const other = await termOf(url);
  return other === null || other <= term;
}

/**
 * Makes the copy the data of this server. What was there before is put aside. Until the state says that it has taken over,
 * which is written last, a crash leaves a standby with its copy. The start that follows loads the rows, with a greater term.
 */
async function takeOver(data: DataFolder, copy: CopyInfo, token: string): Promise<void> {
  await putAside(data);
  const before = await unpackCopy(copy, data);
  // A first server whose token is in its environment has none in its backup.
  if ((await readSecret(data.tokenFile)) === null) await writeAtomically(data.tokenFile, `${token}\n`);
  await changeState(data, { ...before, hasTakenOver: true, supersededBy: null });
  await syncDirectory(data.path);
  await rm(join(data.path, STANDBY_FOLDER), { recursive: true, force: true });
}

const ASIDE = 'before-take-over-';

async function putAside(data: DataFolder): Promise<void> {
  const stays = (name: string) => name === STANDBY_FOLDER || name.startsWith(ASIDE) || isLock(name);
  const names = (await readdir(data.path)).filter((name) => !stays(name));
  if (names.length === 0) return;
  const folder = join(data.path, `${ASIDE}${new Date().toISOString().replace(/\.\d+|[-:]/g, '')}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const name of names) await rename(join(data.path, name), join(folder, name));
}

/** @throws {Error} for a person */
export async function readToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`STANDBY_TOKEN_FILE: ${error.message}`, { cause: error });
  });
  const token = text.trim();
  if (tokenId(token) === null) throw new Error(`STANDBY_TOKEN_FILE: ${file} holds no token`);
  return token;
}
