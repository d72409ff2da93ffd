/**
 * What people have said of devices, by what those say of themselves: devices that say the same at other sites may be the
 * same. One row for each feature of a device that somebody has given a type or a model.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { SiteId } from '../../shared/identity.ts';
import { PARTITIONS, rows } from '../rows.ts';
import { inGroups, type Table } from '../table.ts';
import type { DeviceKey } from './device-codec.ts';

/** What a person has said of a device. */
const Said = z.object({ type: z.string(), vendor: z.string(), model: z.string() });
export type Said = z.infer<typeof Said>;

export interface Lesson extends Said {
  site: SiteId;
  device: DeviceKey;
  /** What the device has in common with others. */
  feature: string;
}

export interface LessonStore {
  /** Remembers what was said of a device, for each of its features. */
  learn(site: SiteId, device: DeviceKey, features: readonly string[], said: Said): Promise<void>;
  /** Forgets what was said of a device, as its features are now. */
  forget(site: SiteId, device: DeviceKey, features: readonly string[]): Promise<void>;
  /**
   * What was said of devices with these features, at the sites of which `mayUse` is true; those of each feature in no
   * particular order. What cannot be read is left out.
   */
  find(features: readonly string[], mayUse: (site: SiteId) => boolean): Promise<Lesson[]>;
}

/** Of one feature, so many rows are read at most: a model that is everywhere is known by then. */
const MOST_ROWS = 500;
const AT_ONCE = 25;

export function openLessonStore(table: Table): LessonStore {
  const each = async (work: readonly (() => Promise<unknown>)[]) => {
    for (const some of inGroups(work, AT_ONCE)) await Promise.all(some.map((one) => one()));
  };
  return {
    async learn(site, device, features, said) {
      const d = JSON.stringify(said);
      await each(features.map((feature) => () => table.put({ ...rows.lesson(digestOf(feature), site, device), d })));
    },

    async forget(site, device, features) {
      await each(features.map((feature) => () => table.remove(rows.lesson(digestOf(feature), site, device))));
    },

    async find(features, mayUse) {
      const found = await Promise.all(
        features.map(async (feature) => {
          const { sk: prefix } = rows.lesson(digestOf(feature), '', '');
          const lessons: Lesson[] = [];
          let read = 0;
          for await (const page of table.query(PARTITIONS.lessons, prefix.slice(0, -1), { limit: 100 })) {
            for (const { sk, d } of page) {
              const [, site = '', device = ''] = sk.split('#');
              const said = typeof d === 'string' ? readSaid(d) : null;
              if (said !== null && mayUse(site)) lessons.push({ ...said, site, device, feature });
            }
            read += page.length;
            if (read >= MOST_ROWS) break;
          }
          return lessons;
        }),
      );
      return found.flat();
    },
  };
}

function readSaid(text: string): Said | null {
  try {
    return Said.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function digestOf(feature: string): string {
  return createHash('sha256').update(feature).digest('base64url').slice(0, 22);
}
