/** The file of a backup on this host: packed, encrypted if that is wanted, and checked before anything is made of it. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import type { BackupEnd } from '../../shared/backup/contents.ts';
import { BackupError, type BackupFile, readBackup } from '../../shared/backup/read-backup.ts';
import { codeOf } from '../../shared/errno.ts';
import { Failure, unreadableFile } from './failure.ts';

/** What a backup is encrypted with, or can be decrypted with: a passphrase, or keys of age. */
export type Secret = { passphrase: string } | { keys: readonly string[] };

const AGE = Buffer.from('age-encryption.org/');
const GZIP = Buffer.from([0x1f, 0x8b]);
/** Level 1 takes a third of the time of level 6, for a tenth more bytes. */
const LEVEL = 1;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Writes a backup as it arrives. The file is there only when it is complete and checked, and readable for its owner alone.
 * @param recipients null for a file that is not encrypted
 * @throws {BackupError} when what has arrived is no whole backup
 */
export async function writeBackupFile(
  path: string,
  tar: AsyncIterable<Uint8Array>,
  recipients: Secret | null,
): Promise<void> {
  const part = `${path}.part`;
  try {
    await rm(part, { force: true }); // One that is left over may be readable for others.
    const zipped = createGzip({ level: LEVEL });
    // Both begin at once: what is read of the one is written by the other.
    const packed = pipeline(Readable.from(checked(tar), { objectMode: false }), zipped);
    packed.catch((error: Error) => zipped.destroy(error));
    const bytes = recipients === null ? zipped : await encrypted(zipped, recipients);
    await Promise.all([packed, pipeline(bytes, createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true }))]);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined || codeOf(error) === '') throw error;
    throw new Failure('failure', `Cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** The same bytes, which fail at their end when they are no whole backup. */
async function* checked(tar: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const copy = new PassThrough();
  let problem: unknown = null;
  const reading = toEnd(readBackup(copy, sha256)).catch((error: unknown) => {
    problem = error;
    copy.resume(); // What comes after it is taken, so that the writer below goes on and fails.
  });
  for await (const chunk of tar) {
    if (!copy.write(chunk)) await Promise.race([once(copy, 'drain'), reading]);
    yield chunk;
    if (problem !== null) throw problem;
  }
  copy.end();
  await reading;
  if (problem !== null) throw problem;
}

async function toEnd(files: AsyncGenerator<BackupFile, BackupEnd>): Promise<void> {
  for await (const _ of files);
}

/**
 * Reads the file of a backup, whether packed, encrypted or neither.
 * @param ask is called when the file is encrypted
 * @throws {Failure} when the file cannot be read or decrypted @throws {BackupError} when it is no whole backup
 */
export async function* readBackupFile(path: string, ask: () => Promise<Secret>): AsyncGenerator<BackupFile, BackupEnd> {
  const isEncrypted = (await startOf(path)).equals(AGE);
  const file = createReadStream(path);
  try {
    const bytes = isEncrypted ? await decrypted(file, await ask()) : file;
    return yield* readBackup(unpacked(bytes), sha256);
  } catch (error) {
    throw explained(path, error);
  } finally {
    file.destroy();
  }
}

async function startOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(AGE.length), 0, AGE.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadableFile(path, error as Error);
  }
}

async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const all = (async function* () {
    yield first.value;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  })();
  if (!GZIP.equals(Buffer.from(first.value.subarray(0, GZIP.length)))) {
    yield* all;
    return;
  }
  const gunzip = createGunzip();
  pipeline(Readable.from(all, { objectMode: false }), gunzip).catch((error: Error) => gunzip.destroy(error));
  yield* gunzip;
}

/** What the libraries say of a file that cannot be read, in words that a person can do something with. */
function explained(path: string, error: unknown): unknown {
  if (error instanceof BackupError || error instanceof Failure) return error;
  const { message } = error as Error;
  const code = codeOf(error);
  if (code === 'Z_BUF_ERROR') return new BackupError('it is not complete: its end is missing');
  if (code.startsWith('Z_') || CANNOT_DECRYPT.test(message)) return new BackupError('it is damaged, or cut off');
  if (message.startsWith('no identity matched')) return new Failure('failure', `${path}: ${WRONG_SECRET}`);
  return error;
}

const WRONG_SECRET = 'this passphrase or key does not open it. Nothing was written';
/** What age-encryption throws for a file that was changed or cut. */
const CANNOT_DECRYPT = /invalid|stream|header|stanza|too short|unexpected|ciphertext|payload|line|tag/i;

/* ---- age (https://age-encryption.org), loaded when it is needed ---------------------------------------------------- */

async function encrypted(bytes: Readable, secret: Secret): Promise<ReadableStream<Uint8Array>> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  if ('passphrase' in secret) encrypter.setPassphrase(secret.passphrase);
  else for (const key of secret.keys) encrypter.addRecipient(key);
  return (await encrypter.encrypt(webStream(bytes))) as unknown as ReadableStream<Uint8Array>;
}

async function decrypted(bytes: Readable, secret: Secret): Promise<ReadableStream<Uint8Array>> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  if ('passphrase' in secret) decrypter.addPassphrase(secret.passphrase);
  else for (const key of secret.keys) decrypter.addIdentity(key);
  return (await decrypter.decrypt(webStream(bytes))) as unknown as ReadableStream<Uint8Array>;
}

const webStream = (bytes: Readable) => Readable.toWeb(bytes) as unknown as globalThis.ReadableStream<Uint8Array>;

/** @throws {Failure} `usage` when a key is none of age */
export async function checkKeys(kind: 'recipient' | 'identity', keys: readonly string[]): Promise<void> {
  const { Decrypter, Encrypter } = await import('age-encryption');
  try {
    if (kind === 'recipient') for (const key of keys) new Encrypter().addRecipient(key);
    else for (const key of keys) new Decrypter().addIdentity(key);
  } catch {
    throw new Failure('usage', kind === 'recipient' ? 'Expected a recipient of age: age1…' : 'Expected a key of age');
  }
}
