/** Unpacks a backup into a data folder, from which the next start makes a database. */
import { mkdir, mkdtemp, open, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ROWS } from '../../shared/backup/contents.ts';
import type { BackupFile } from '../../shared/backup/read-backup.ts';
import { codeOf } from '../../shared/errno.ts';
import { Failure } from './failure.ts';

/** The rows as text, the database that is made of them, and what that needs while it is made. */
const ROOM = 3;
const MB = 1024 * 1024;

/** @returns its absolute path @throws {Failure} when the folder is not empty, or the disk has too little room for so many bytes */
export async function requireEmptyFolder(folder: string, bytes: number): Promise<string> {
  const path = resolve(folder);
  const names = await readdir(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [] as string[];
    throw new Failure('usage', `Cannot use the folder ${path}: ${(error as Error).message}`, { cause: error });
  });
  if (names.length > 0) {
    throw new Failure(
      'failure',
      `The folder ${path} is not empty${names.includes('lock') ? ', and may be in use' : ''}. Nothing was written: choose ` +
        'another one with --data, or move it away first',
    );
  }
  const { bavail, bsize } = await statfs(await firstThere(path));
  if (bavail * bsize < bytes * ROOM) {
    const [needed, free] = [bytes * ROOM, bavail * bsize].map((size) => Math.ceil(size / MB));
    throw new Failure(
      'failure',
      `The disk of ${path} has ${free} MB free, and ${needed} MB are needed. Nothing was written`,
    );
  }
  return path;
}

async function firstThere(path: string): Promise<string> {
  const there = await readdir(path).then(
    () => true,
    () => false,
  );
  return there || dirname(path) === path ? path : firstThere(dirname(path));
}

/** Writes the files beside their places, and moves them there when all are on the disk. What fails leaves nothing behind. */
export async function unpackInto(folder: string, files: AsyncIterable<BackupFile>): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(folder, '.restoring-'));
  try {
    for await (const { name, content } of files) {
      const path = join(draft, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, content, { mode: 0o600, flag: 'wx', flush: true });
    }
    for (const name of (await readdir(draft)).sort(rowsLast)) await rename(join(draft, name), join(folder, name));
    await rm(draft, { recursive: true });
    const directory = await open(folder, 'r');
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    await rm(made ?? draft, { recursive: true, force: true });
    if (codeOf(error) === '') throw error; // Of the backup, and not of this disk.
    throw new Failure('failure', `Cannot restore into ${folder}: ${(error as Error).message}`, { cause: error });
  }
}

/** A start that finds only a part sees a database missing, or rows without their end, and refuses the folder. */
function rowsLast(a: string, b: string): number {
  const rank = (name: string) => (name === 'state.json' ? 0 : name === ROWS ? 2 : 1);
  return rank(a) - rank(b);
}
