/** The copy of the first server that a standby keeps: its newest backup that has arrived as a whole. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { syncDirectory } from '../agent/state/atomic-file.ts';
import { END } from '../shared/backup/contents.ts';
import { BackupError, headOf, readBackup } from '../shared/backup/read-backup.ts';
import { codeOf } from '../shared/errno.ts';
import { parseJson } from '../shared/json.ts';
import type { DataFolder } from './data-folder.ts';
import { State } from './state.ts';

export interface CopyInfo {
  /** The file: a backup. */
  path: string;
  /** When it was made, by the clock of the first server: ISO 8601. */
  madeAt: string;
  bytes: number;
  /** The term of the first server. */
  term: number;
  /** Digest of its authority; empty when that is not in the copy. */
  authority: string;
}

const STATE_FILE = 'state.json';
const AUTHORITY_FILE = 'ca/authority.pem';
/** For all of it, over a slow line. */
const ARRIVES_WITHIN_MS = 30 * 60_000;
const MOST_BYTES = 20 * 1024 ** 3;

/** In the data folder. */
export const STANDBY_FOLDER = 'standby';
const folderIn = (data: DataFolder) => join(data.path, STANDBY_FOLDER);

/** The copy that an earlier start has left; null without one, or when it cannot be read. */
export async function newestCopy(data: DataFolder): Promise<CopyInfo | null> {
  try {
    return await examine(join(folderIn(data), 'copy.tar'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof BackupError) return null;
    throw error;
  }
}

/**
 * Fetches a backup, and replaces the copy with it when it is whole and of the same system: a first server that was begun anew
 * has the same URL, maybe the same token, and nothing of what the copy may be needed for.
 * @param before the copy that there is
 * @throws {Error} for a person, when it cannot be fetched, or is not whole. The copy stays as it was.
 */
export async function fetchCopy(
  first: { url: string; token: string },
  data: DataFolder,
  signal: AbortSignal,
  before: CopyInfo | null,
): Promise<CopyInfo> {
  const folder = folderIn(data);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [next, kept] = [join(folder, 'next.tar'), join(folder, 'copy.tar')];
  try {
    await download(first, next, AbortSignal.any([signal, AbortSignal.timeout(ARRIVES_WITHIN_MS)]));
    const info = await examine(next);
    if (before !== null && before.authority !== '' && info.authority !== before.authority) {
      throw new Error(
        `${first.url} is another system than that of the copy, which is kept: its certificate authority is not the same. To ` +
          `copy it, stop this server, move ${STANDBY_FOLDER}/copy.tar of its data folder away and start it again`,
      );
    }
    await rename(next, kept);
    await syncDirectory(folder);
    return { ...info, path: kept };
  } finally {
    await rm(next, { force: true });
  }
}

/**
 * Makes a data folder of the copy, whose rows the next start loads.
 * @returns the state of the first server, which is not written @throws {BackupError} unless it is whole
 */
export async function unpackCopy({ path }: CopyInfo, data: DataFolder): Promise<State> {
  let state = State.parse({});
  const files = readBackup(createReadStream(path), sha256);
  let next = await files.next();
  for (; !next.done; next = await files.next()) {
    const { name, content } = next.value;
    if (name === STATE_FILE) {
      state = stateIn(content);
      continue;
    }
    const file = join(data.path, name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600, flush: true });
  }
  await writeFile(join(data.path, END), JSON.stringify(next.value), { mode: 0o600, flush: true });
  return state;
}

async function download({ url, token }: { url: string; token: string }, file: string, signal: AbortSignal) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/backup`, { method: 'POST', headers, redirect: 'error', signal }).catch(
    (error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new Error(`${url} cannot be reached: ${cause}`, { cause: error });
    },
  );
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    const token = response.status === 403 ? '; is the token in STANDBY_TOKEN_FILE its first one?' : '';
    throw new Error(`${url} gives no backup: it answers with status ${response.status}${token}`);
  }
  let bytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      done(bytes > MOST_BYTES ? new Error(`the backup has more than ${MOST_BYTES} bytes`) : null, chunk);
    },
  });
  const target = createWriteStream(file, { mode: 0o600, flush: true });
  await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), limit, target, { signal });
}

/** @throws {BackupError} unless it is whole */
async function examine(path: string): Promise<CopyInfo> {
  const { size: bytes } = await stat(path);
  let madeAt = '';
  let term = 1;
  let authority = '';
  for await (const file of readBackup(createReadStream(path), sha256)) {
    if (madeAt === '') ({ madeAt } = headOf(file));
    if (file.name === STATE_FILE) ({ term } = stateIn(file.content));
    if (file.name === AUTHORITY_FILE) authority = sha256(file.content);
  }
  return { path, madeAt, bytes, term, authority };
}

function stateIn(content: Uint8Array): State {
  return State.safeParse(parseJson(new TextDecoder().decode(content))).data ?? State.parse({});
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
