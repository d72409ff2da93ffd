/** The desired state of discovery as last received. It is persisted: discovery goes on without the cloud. */
import type { Logger } from 'pino';
import * as z from 'zod';
import { DiscoverySettings } from '../../shared/agent/discovery.ts';
import { SitePolicy } from '../../shared/agent/site-policy.ts';
import { Millis } from '../../shared/time.ts';
import { writeAtomically } from '../state/atomic-file.ts';
import { readStored } from '../state/optional-file.ts';

const Stored = z.object({
  revision: Millis,
  discovery: DiscoverySettings,
  policy: SitePolicy.optional(),
  /** The restored backup of the server to which the agent last reported everything again. */
  restoredAt: Millis.optional(),
});
export type StoredSettings = z.infer<typeof Stored>;

/** Null before the first message, or when the file cannot be read: then discovery is off until the next message. */
export async function readSettings(path: string, log: Logger): Promise<StoredSettings | null> {
  const problem = 'the settings of discovery cannot be read; discovery is off until the cloud sends them';
  return readStored(path, Stored, log, problem);
}

/** @throws {Error} when the file cannot be written */
export async function writeSettings(path: string, settings: StoredSettings): Promise<void> {
  await writeAtomically(path, JSON.stringify(settings));
}
