/** The backup of a running system: its files and a snapshot of the table, as a stream at its reader's speed. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { STATE } from '../../agent/state/layout.ts';
import { lineOf } from '../../functions/status/backup/row-text.ts';
import type { TableSnapshot } from '../../functions/table/local-table.ts';
import {
  type BackupEnd,
  type BackupHead,
  END,
  HEAD,
  isFileName,
  MAX_FILE_BYTES,
  ROWS_BYTES,
  rowsFile,
} from '../../shared/backup/contents.ts';
import { TAR_END, tarHeader, tarPadding } from '../../shared/backup/tar.ts';
import { FORMAT_FILE } from '../../shared/format.ts';
import { type DataFolder, readSecret } from '../data-folder.ts';
import { stateFile } from '../state.ts';

/** The files that an agent of this machine cannot recreate. Undelivered results are not part of a backup. */
const OF_AGENTS = [STATE.format, STATE.identity, STATE.policy, STATE.snmp];
const OF_AUTHORITY = ['authority.pem', 'broker.pem', 'functions.pem', 'revoked'];

/** @param snapshot older than the files, so that a certificate revoked in between is revoked in the backup; stays open */
export async function* makeBackup(data: DataFolder, snapshot: TableSnapshot, head: BackupHead) {
  const files: BackupEnd['files'] = [];
  const at = Date.parse(head.madeAt) / 1000;
  function* file(name: string, content: Uint8Array): Generator<Uint8Array> {
    if (content.length > MAX_FILE_BYTES)
      throw new Error(`${name} has ${content.length} bytes, more than a backup takes`);
    files.push({ name, size: content.length, sha256: createHash('sha256').update(content).digest('hex') });
    yield* entry(name, content, at);
  }

  yield* file(HEAD, json(head));
  for (const path of await filesOf(data)) {
    const name = relative(data.path, path);
    // Readers of the backup reject the name of a manual copy beside the agents.
    const text = isFileName(name) ? await readSecret(path) : null;
    if (text !== null) yield* file(name, Buffer.from(text));
  }
  let rows = 0;
  let lines: string[] = [];
  let length = 0;
  let number = 0;
  for await (const page of snapshot.pages()) {
    for (const item of page) {
      const line = lineOf(item);
      lines.push(line);
      length += line.length;
      rows++;
      if (length < ROWS_BYTES) continue;
      yield* file(rowsFile(number++), Buffer.from(lines.join('')));
      lines = [];
      length = 0;
    }
  }
  yield* file(rowsFile(number), Buffer.from(lines.join('')));
  yield* entry(END, json({ rows, files } satisfies BackupEnd), at);
  yield TAR_END;
}

async function filesOf(data: DataFolder): Promise<string[]> {
  const agents = await readdir(data.agents).catch(() => []);
  return [
    join(data.path, FORMAT_FILE),
    stateFile(data),
    data.tokenFile,
    ...OF_AUTHORITY.map((name) => join(data.authority, name)),
    ...agents.sort().flatMap((agent) => OF_AGENTS.map((name) => join(data.agents, agent, name))),
  ];
}

function* entry(name: string, content: Uint8Array, at: number): Generator<Uint8Array> {
  yield tarHeader({ name, size: content.length }, at);
  if (content.length > 0) yield content;
  const padding = tarPadding(content.length);
  if (padding.length > 0) yield padding;
}

const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
