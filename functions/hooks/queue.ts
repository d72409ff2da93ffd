/** What the hooks function has to do, as messages of its queue. */
import * as z from 'zod';
import { SiteId } from '../../shared/identity.ts';
import { type Key, PARTITIONS, PREFIXES } from '../table/rows.ts';

const Task = z.discriminatedUnion('t', [
  /** Write the deliveries of what has happened on a site. `tries`: how often it was too early for that. */
  z.object({ t: z.literal('look'), site: SiteId, tries: z.int().min(0).default(0) }),
  /** Attempt a delivery, when it is due. */
  z.object({ t: z.literal('deliver'), site: SiteId, hook: z.string(), id: z.string() }),
]);
export type Task = z.infer<typeof Task>;

export interface HookQueue {
  /**
   * Hands tasks over; they are carried out at least once, not before their time.
   * @throws when they could not be handed over; some of them may have been
   */
  send(tasks: readonly { task: Task; notBefore: Date }[]): Promise<void>;
}

/** @throws when the text is no task */
export function readTask(text: string): Task {
  return Task.parse(JSON.parse(text));
}

/** Ends the ids of deliveries that somebody waits for. Those of tests and repetitions have a letter as well. */
export const URGENT_END = 'd';

/** Whether somebody waits for it: something is down or lost, or a person has asked for a test. It goes before others of its hook. */
export function isUrgent(task: Task): boolean {
  return task.t === 'deliver' && /[a-z]/.test(task.id);
}

/** Tasks of one group may be late because of each other: of a site, or of a hook. Those of other groups are not. */
export function groupOf(task: Task): string {
  return task.t === 'look' ? `look:${task.site}` : `deliver:${task.hook}`;
}

/** What is to be done when a row with this key was added to the table; null for most rows. */
export function taskFor({ pk, sk }: Key): Task | null {
  if (pk.startsWith(PARTITIONS.site) && sk.startsWith(PREFIXES.change)) {
    return { t: 'look', site: pk.slice(PARTITIONS.site.length), tries: 0 };
  }
  if (!pk.startsWith(PARTITIONS.deliveries)) return null;
  const [hook = '', id = ''] = sk.split('#');
  return { t: 'deliver', site: pk.slice(PARTITIONS.deliveries.length), hook, id };
}
