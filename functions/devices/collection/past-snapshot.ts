/** The collection at a past time: undoes what has changed since. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import { thousands } from '../../../shared/text.ts';
import { secondOf } from '../../../shared/time.ts';
import type { ChangeHistory } from './change-history.ts';
import { deletedIn, type JournalEntry, ONLY_AFTER, withEdits } from './change-row.ts';
import type { DeviceKey, StoredDevice } from './device-codec.ts';
import type { ChangePart } from './journal.ts';
import type { Snapshot } from './snapshot.ts';

/** Journal entries that are undone for one response. */
const MAX_ENTRIES = 10_000;
/** Entries that are decoded before other requests get a turn. */
const PAGE = 200;

/** What agents reported late counts from when they saw it. */
class Undoing {
  readonly #snapshot: Snapshot;
  /** Unix, s. */
  readonly #at: number;
  /** How the past differs from the snapshot; null for a device that did not exist. */
  readonly #before = new Map<DeviceKey, StoredDevice | null>();
  /** Values that later entries have set for an earlier time, by their names in `Edits`; `*` for whole devices. */
  readonly #kept = new Map<DeviceKey, Set<string>>();

  constructor(snapshot: Snapshot, at: Date) {
    this.#snapshot = snapshot;
    this.#at = secondOf(at);
  }

  /** Whether an entry has to be undone; if not, neither do those before it. */
  concerns({ at }: JournalEntry): boolean {
    return secondOf(at) > this.#at;
  }

  undo(entry: JournalEntry, { devices, lags }: ChangePart): void {
    const removed = new Map(deletedIn(devices).map((device) => [device.key, device]));
    for (const [i, [key, kind, detail]] of devices.entries()) {
      if (secondOf(entry.at) - (lags?.[i] ?? 0) <= this.#at) {
        this.#keep(key, kind === '=' ? Object.keys(detail) : ['*']);
        continue;
      }
      if (kind === '-' && !removed.has(key)) throw new Error(`the entry does not say what ${key} was`);
      if (kind !== '=') this.#set(key, removed.get(key) ?? null);
      else {
        const device = this.#get(key);
        const skipped = new Set([...ONLY_AFTER, ...(this.#kept.get(key) ?? [])]);
        if (device) this.#set(key, withEdits(device, detail, 'before', skipped));
      }
    }
  }

  /** The collection at the past time, under its present version. */
  async result(): Promise<Snapshot> {
    const put = [...this.#before.values()].filter((device) => device !== null);
    const remove = [...this.#before].filter(([, device]) => device === null).map(([key]) => key);
    return this.#snapshot.with(put, remove, this.#snapshot.version);
  }

  #get(key: DeviceKey): StoredDevice | null {
    return this.#before.has(key) ? (this.#before.get(key) ?? null) : (this.#snapshot.get(key) ?? null);
  }

  #set(key: DeviceKey, device: StoredDevice | null): void {
    if (this.#kept.get(key)?.has('*')) return;
    this.#before.set(key, device);
  }

  #keep(key: DeviceKey, names: readonly string[]): void {
    this.#kept.set(key, new Set([...(this.#kept.get(key) ?? []), ...names]));
  }
}

/**
 * @param snapshot the present collection
 * @param at within the last 90 days, when the site existed
 * @throws {ServiceError} `not_found` when a change since cannot be undone, or there are too many
 */
export async function pastSnapshot(
  devices: Pick<ChangeHistory, 'changesBefore' | 'partsOf'>,
  snapshot: Snapshot,
  at: Date,
): Promise<Snapshot> {
  const { site } = snapshot;
  const undoing = new Undoing(snapshot, at);
  const refuse = (why: string) => {
    const message = `The devices of "${site}" cannot be shown as they were at ${at.toISOString()}: ${why}`;
    return new ServiceError('not_found', message);
  };

  let entries = 0;
  for await (const { found, unreadable } of devices.changesBefore(snapshot, null, PAGE)) {
    for (const entry of found) {
      if (!undoing.concerns(entry)) return undoing.result();
      if (++entries > MAX_ENTRIES) {
        const since = entry.at.toISOString();
        throw refuse(`more than ${thousands(MAX_ENTRIES)} changes were made since; ask for a time after ${since}`);
      }
      try {
        for await (const part of devices.partsOf(site, entry)) undoing.undo(entry, part);
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        throw refuse(`the change ${entry.version} in between cannot be read`);
      }
    }
    await yieldToEventLoop();
    const [gap] = unreadable;
    if (gap !== undefined) throw refuse(`the change ${gap.id} in between cannot be read`);
  }
  return undoing.result();
}
