/** The persistent state between starts. */
import { join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../agent/state/atomic-file.ts';
import { readIfThere } from '../agent/state/optional-file.ts';
import { Millis } from '../shared/time.ts';
import { type DataFolder, STATE_FILE } from './data-folder.ts';

const State = z.object({
  /** Id of the token with all rights, which a start with another one revokes. */
  rootTokenId: z.string().nullable().default(null),
  /** Port of the broker at the last start, which agents on other hosts have stored. */
  mqttPort: z.int().nullable().default(null),
  /** Whether the folder has had a database, to detect the loss of one. */
  hasDatabase: z.boolean().default(false),
  /** The file of the database at the last orderly stop; null while it is in use. */
  closedAs: z.object({ size: z.number(), mtimeMs: z.number() }).nullable().default(null),
  /** Whether the folder has had a certificate authority. */
  hasAuthority: z.boolean().default(false),
  /** When the folder was restored from a backup (Unix, ms); null if never. */
  restoredAt: Millis.nullable().default(null),
});
type State = z.infer<typeof State>;

export async function readState(data: Pick<DataFolder, 'path'>): Promise<State> {
  try {
    return State.parse(JSON.parse((await readIfThere(stateFile(data))) ?? '{}'));
  } catch {
    return State.parse({}); // An invalid file must not prevent a start.
  }
}

export async function changeState(data: Pick<DataFolder, 'path'>, change: Partial<State>): Promise<void> {
  const before = await readState(data);
  const after = State.parse({ ...before, ...change }); // Invalid state would be discarded as a whole.
  if (JSON.stringify(after) !== JSON.stringify(before))
    await writeAtomically(stateFile(data), `${JSON.stringify(after)}\n`);
}

export function stateFile(data: Pick<DataFolder, 'path'>): string {
  return join(data.path, STATE_FILE);
}
