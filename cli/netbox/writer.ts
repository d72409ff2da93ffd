/** Writes to NetBox in groups, and counts what was written. In a dry run it only counts. */
import type { List, NetBox } from './netbox-client.ts';

/** What a run has done, or would do. */
export interface Report {
  /** By list: `dcim/devices` → how many. */
  created: Record<string, number>;
  updated: Record<string, number>;
  /** What a person has entered in NetBox, and is left as it is. */
  kept: string[];
  /** What NetBox does not take, and why. */
  refused: string[];
}

/** What is written, and what it is called in a report. */
export interface Writing {
  body: object;
  about: string;
}

const AT_ONCE = 100;

export class Writer {
  readonly report: Report = { created: {}, updated: {}, kept: [], refused: [] };
  readonly #netbox: NetBox;
  readonly #isDry: boolean;
  /** Ids of what would have been made: no object has them. */
  #madeUp = 0;

  constructor(netbox: NetBox, isDry: boolean) {
    this.#netbox = netbox;
    this.#isDry = isDry;
  }

  /** @returns the ids, in the order of the objects; null for those that NetBox refuses */
  async create(list: List, objects: readonly Writing[]): Promise<(number | null)[]> {
    const ids = await this.#write('POST', list, objects);
    count(this.report.created, list, ids);
    return ids;
  }

  async update(list: List, objects: readonly (Writing & { body: { id: number } })[]): Promise<void> {
    count(this.report.updated, list, await this.#write('PATCH', list, objects));
  }

  async #write(method: 'POST' | 'PATCH', list: List, objects: readonly Writing[]): Promise<(number | null)[]> {
    if (this.#isDry) return objects.map(() => --this.#madeUp);
    const ids: (number | null)[] = [];
    for (let at = 0; at < objects.length; at += AT_ONCE) {
      ids.push(...(await this.#together(method, list, objects.slice(at, at + AT_ONCE))));
    }
    return ids;
  }

  /** NetBox takes all of a group or none: the one that it does not take is found by halves. */
  async #together(method: 'POST' | 'PATCH', list: List, objects: readonly Writing[]): Promise<(number | null)[]> {
    const bodies = objects.map(({ body }) => body);
    const written = await this.#netbox.write(method, list, bodies);
    if (!('refused' in written)) return written.map(({ id }) => id);
    if (objects.length === 1) {
      this.report.refused.push(`${objects[0]!.about}: ${written.refused}`);
      return [null];
    }
    const half = Math.ceil(objects.length / 2);
    const first = await this.#together(method, list, objects.slice(0, half));
    return [...first, ...(await this.#together(method, list, objects.slice(half)))];
  }
}

function count(counts: Record<string, number>, list: List, ids: readonly (number | null)[]): void {
  const written = ids.filter((id) => id !== null).length;
  if (written > 0) counts[list] = (counts[list] ?? 0) + written;
}
