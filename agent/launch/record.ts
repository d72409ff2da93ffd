/**
 * The programs that updates have installed, and their state: a record in the folder `update` of the state directory, and
 * one file for each program. The launcher and the running program replace it atomically, and only the one that holds the
 * lock of the state directory or finds it free. Without zod, which would be most of the launcher's size and memory.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { UNFINISHED } from '../state/layout.ts';

export interface InstalledProgram {
  version: string;
  /** Of the file, hexadecimal. */
  sha256: string;
  /** The oldest Node.js that runs it. */
  node: string;
}

export interface UpdateRecord {
  /** The healthy one, which starts by default. */
  proven: InstalledProgram | null;
  /** The one that must still prove healthy, and its starts so far. */
  trial: (InstalledProgram & { starts: number }) | null;
  /** The version that failed its trial, and is not installed again. */
  givenUp: string | null;
  /** The outcome of the last update: see `UpdateState` in `shared/agent/release.ts`. */
  last: { version: string; state: 'installing' | 'done' | 'failed'; reason: string | null; at: number } | null;
}

export const NO_UPDATES: UpdateRecord = { proven: null, trial: null, givenUp: null, last: null };

/** Longest `reason`, in characters. */
export const MAX_REASON = 300;

const RECORD = 'record.json';
const VERSION = /^\d{1,5}\.\d{1,5}\.\d{1,5}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const PIECE_BYTES = 64 * 1024;

export function fileOf({ version }: Pick<InstalledProgram, 'version'>): string {
  return `agent-${version}.mjs`;
}

/** An absent or invalid record is empty: then the packaged program starts. */
export function readRecord(folder: string): UpdateRecord {
  try {
    return parseRecord(JSON.parse(readFileSync(join(folder, RECORD), 'utf8')));
  } catch {
    return NO_UPDATES;
  }
}

/** Each invalid part counts as absent. */
export function parseRecord(json: unknown): UpdateRecord {
  const { proven, trial, givenUp, last } = fieldsOf(json);
  const { starts } = fieldsOf(trial);
  const tried = programOf(trial);
  return {
    proven: programOf(proven),
    trial: tried === null || !isCount(starts) ? null : { ...tried, starts },
    givenUp: isVersion(givenUp) ? givenUp : null,
    last: lastOf(last),
  };
}

function fieldsOf(json: unknown): Record<string, unknown> {
  return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
}

function programOf(json: unknown): InstalledProgram | null {
  const { version, sha256, node } = fieldsOf(json);
  if (!isVersion(version) || !isVersion(node) || typeof sha256 !== 'string' || !SHA256.test(sha256)) return null;
  return { version, sha256, node };
}

function lastOf(json: unknown): UpdateRecord['last'] {
  const { version, state, reason, at } = fieldsOf(json);
  const isState = state === 'installing' || state === 'done' || state === 'failed';
  if (!isVersion(version) || !isState || !isCount(at)) return null;
  return { version, state, reason: typeof reason === 'string' ? reason.slice(0, MAX_REASON) : null, at };
}

function isVersion(json: unknown): json is string {
  return typeof json === 'string' && VERSION.test(json);
}

function isCount(json: unknown): json is number {
  return Number.isSafeInteger(json) && Number(json) >= 0;
}

/** Replaces the record. It is on disk when this returns. */
export function writeRecord(folder: string, record: UpdateRecord): void {
  writeSafely(join(folder, RECORD), Buffer.from(`${JSON.stringify(record, null, 2)}\n`));
}

/** Writes a program's file. It is on disk when this returns. @returns its digest, hexadecimal */
export function writeProgram(folder: string, version: string, code: Uint8Array): string {
  writeSafely(join(folder, fileOf({ version })), code);
  return createHash('sha256').update(code).digest('hex');
}

/** Atomic: content and name are on disk when this returns. */
function writeSafely(path: string, content: Uint8Array): void {
  const draft = `${path}${UNFINISHED}`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const folder = openSync(join(path, '..'), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Whether a program's file has its recorded digest. Read in pieces, to save memory. */
export function isIntact(folder: string, { version, sha256 }: InstalledProgram): boolean {
  try {
    const file = openSync(join(folder, fileOf({ version })), 'r');
    try {
      const hash = createHash('sha256');
      const piece = Buffer.alloc(PIECE_BYTES);
      for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
        hash.update(piece.subarray(0, read));
      return hash.digest('hex') === sha256;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** Removes replaced programs, and files that a crash has left. */
export function removeUnnamed(folder: string, { proven, trial }: UpdateRecord): void {
  const named = new Set([RECORD, ...[proven, trial].flatMap((program) => (program === null ? [] : [fileOf(program)]))]);
  for (const name of readdirSync(folder)) {
    if (!named.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
