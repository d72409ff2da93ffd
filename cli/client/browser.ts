/** Opens a page in the browser. The only file of the command line that starts a process. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../shared/errno.ts';

/** How long the file of a page is kept: a browser that has to be started first may take many seconds to read it. */
export const PAGE_KEPT_MS = 30_000;

const FILE_NAME = /^lanreach-open-[0-9a-f-]{36}\.html$/;

export interface Browser {
  /** Opens a file with the program that the user has chosen for its type; it is searched for in PATH. */
  opener: string;
  /** The environment of that program, and of the browser if it has to be started. */
  env: NodeJS.ProcessEnv;
  /** The user's home. Browsers that are packaged as snaps read neither /tmp nor hidden files and folders in it. */
  folder: string;
}

/** The page could not be opened. The message says why, and contains nothing of the page. */
export class BrowserError extends Error {
  override name = 'BrowserError';
}

/**
 * Shows a page that may contain a secret: it goes through a file that only the user can read, never through an argument,
 * which every user of the host can read.
 * @param signal aborting it removes the file and ends this
 * @throws {BrowserError} also when the opener has failed; the file is removed then, too
 */
export async function showPage(page: string, { opener, env, folder }: Browser, signal: AbortSignal): Promise<void> {
  const file = join(folder, `lanreach-open-${randomUUID()}.html`);
  try {
    removeLeftOver(folder);
    writeFileSync(file, page, { mode: 0o600, flag: 'wx' });
    await Promise.race([opened(file, opener, env), aborted(signal)]);
    await aborted(signal);
  } catch (error) {
    if (error instanceof BrowserError) throw error;
    throw new BrowserError(`no file can be written in ${folder} (${codeOf(error)})`, { cause: error });
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * Shows a page whose address is no secret. Resolves when the opener has handed it over.
 * @throws {BrowserError}
 */
export function openLink(link: string, { opener, env }: Browser): Promise<void> {
  return opened(link, opener, env);
}

/** Resolves when the opener has handed the file over. One that stays is the browser itself, and outlives this program. */
function opened(file: string, opener: string, env: NodeJS.ProcessEnv): Promise<void> {
  // A process group of its own, so that Ctrl-C does not end the browser.
  const child = spawn(opener, [file], { env, stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const isMissing = codeOf(cause) === 'ENOENT';
      reject(new BrowserError(isMissing ? `${opener} is not installed` : `${opener}: ${cause.message}`, { cause }));
    });
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new BrowserError(`${opener} has failed${code === null ? '' : ` with exit code ${code}`}`));
    });
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Removes the files of runs that were killed before they could do it. */
function removeLeftOver(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => FILE_NAME.test(one))) {
    const file = join(folder, name);
    const { mtimeMs = Date.now() } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > PAGE_KEPT_MS) rmSync(file, { force: true });
  }
}
