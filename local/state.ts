/** Values that are remembered from one start to the next. */
import { join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../agent/state/atomic-file.ts';
import { readIfThere } from '../agent/state/optional-file.ts';
import { Millis } from '../shared/time.ts';
import { type DataFolder, STATE_FILE } from './data-folder.ts';

const State = z.object({
  /** Id of the token with all rights, which is revoked when another is set. */
  rootTokenId: z.string().nullable().default(null),
  /** Port of the broker at the last start, because agents on other hosts have stored it. */
  mqttPort: z.int().nullable().default(null),
  /** Whether the folder has had a database, so that one that is lost is not taken for one that never was. */
  hasDatabase: z.boolean().default(false),
  /** What the file of the database was at the last orderly stop; null while it is in use. */
  closedAs: z.object({ size: z.number(), mtimeMs: z.number() }).nullable().default(null),
  /** Whether the folder has had a certificate authority. */
  hasAuthority: z.boolean().default(false),
  /** When the folder came out of a backup (Unix, ms); null when it never did. */
  restoredAt: Millis.nullable().default(null),
});
type State = z.infer<typeof State>;

export async function readState(data: Pick<DataFolder, 'path'>): Promise<State> {
  try {
    return State.parse(JSON.parse((await readIfThere(stateFile(data))) ?? '{}'));
  } catch {
    return State.parse({}); // A start must not fail because of it.
  }
}

export async function changeState(data: Pick<DataFolder, 'path'>, change: Partial<State>): Promise<void> {
  const before = await readState(data);
  const after = State.parse({ ...before, ...change }); // What is not valid would be forgotten as a whole.
  if (JSON.stringify(after) !== JSON.stringify(before))
    await writeAtomically(stateFile(data), `${JSON.stringify(after)}\n`);
}

export function stateFile(data: Pick<DataFolder, 'path'>): string {
  return join(data.path, STATE_FILE);
}
