/**
 * Small rows in memory, for the only process that writes to a table: what it has read or put stays true until it writes
 * the row again.
 *
 * While a row is being written, reads of it go to the table, and what they find is not kept. A write whose outcome is
 * unknown, for example after a time-out, may take effect at any later time, so its row is never kept again. Rows that do
 * not exist are not kept either, so made-up tokens cannot displace real ones.
 *
 * Reads of one row share calls wherever the answer is the same: a read joins one that is under way if no write can have
 * taken effect since that began, and else the one that begins next. So a crowd makes two calls and not a thousand, also
 * for a row that is not kept.
 *
 * A row may hold a list of other rows, each of which is frozen. Whoever writes one of those also writes the list.
 */
import type { Key } from './rows.ts';

export interface PointMemoryLimits {
  rows: number;
  /** Of all rows together, in characters: of keys, names of attributes, and texts. */
  size: number;
  /** Of one row. Larger ones are not kept. */
  rowSize: number;
  /** Rows with an unknown outcome. If there are more, no row is kept any more. */
  uncertain: number;
}

const LIMITS: PointMemoryLimits = { rows: 10_000, size: 4_000_000, rowSize: 16_000, uncertain: 10_000 };

/** What is under way with one row. */
interface Busy<Row> {
  /** Writes under way, and all of them since this object was made. */
  writes: number;
  begun: number;
  /** The read under way, and whether no write can have taken effect since it began. */
  read: { row: Promise<Row | null>; isUndisturbed: boolean } | null;
  /** The read that begins when that one has ended. */
  next: Promise<Row | null> | null;
}

export class PointMemory<Row extends Key> {
  readonly #limits: PointMemoryLimits;
  /** Least recently used first. */
  readonly #kept = new Map<string, { row: Row; size: number }>();
  #keptSize = 0;
  readonly #busy = new Map<string, Busy<Row>>();
  readonly #uncertain = new Set<string>();
  #isOff = false;

  constructor(limits: Partial<PointMemoryLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * The row, which is frozen because others may get the same object; null when there is none.
   * @param load reads it from the table, with every write that was acknowledged
   */
  read(key: Key, load: () => Promise<Row | null>): Promise<Row | null> {
    const name = nameOf(key);
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return Promise.resolve(kept.row);
    }
    const busy = this.#busyWith(name);
    if (busy.next !== null) return busy.next;
    if (busy.read === null) return this.#begin(name, busy, load);
    if (busy.read.isUndisturbed) return busy.read.row;
    const begin = () => {
      busy.next = null;
      return this.#begin(name, busy, load);
    };
    busy.next = busy.read.row.then(begin, begin);
    return busy.next;
  }

  /**
   * Makes one call that writes these rows.
   * @param send calls `onDoubt` when an attempt to write them has had no answer, so that it may still take effect later
   * @param whole the one row that is written, as it is after a call that succeeds: it need not be read then
   */
  async write<Answer>(
    keys: readonly Key[],
    send: (onDoubt: () => void) => Promise<Answer>,
    whole: Row | null = null,
  ): Promise<Answer> {
    const names = keys.map(nameOf);
    const begun = names.map((name) => this.#beginWrite(name));
    let isCertain = true;
    let written: Row | null = null;
    const onDoubt = () => {
      isCertain = false;
    };
    try {
      const answer = await send(onDoubt);
      written = whole;
      return answer;
    } finally {
      for (const [i, name] of names.entries()) this.#endWrite(name, begun[i] ?? null, isCertain, written);
    }
  }

  #begin(name: string, busy: Busy<Row>, load: () => Promise<Row | null>): Promise<Row | null> {
    const read = {
      isUndisturbed: this.#mayKeep(name) && busy.writes === 0,
      row: load()
        .then((row) => {
          if (row === null) return null;
          if (read.isUndisturbed) this.#keep(name, row);
          return Object.freeze(row);
        })
        .finally(() => {
          busy.read = null;
          this.#release(name, busy);
        }),
    };
    busy.read = read;
    return read.row;
  }

  /** @returns the number of this write; null if another one is under way, so that it is not known which comes last */
  #beginWrite(name: string): number | null {
    const busy = this.#busyWith(name);
    busy.writes++;
    busy.begun++;
    if (busy.read !== null) busy.read.isUndisturbed = false;
    this.#forget(name);
    return busy.writes === 1 ? busy.begun : null;
  }

  #endWrite(name: string, begun: number | null, isCertain: boolean, written: Row | null): void {
    if (!isCertain && !this.#isOff) this.#uncertain.add(name);
    if (this.#uncertain.size > this.#limits.uncertain) this.#switchOff();
    const busy = this.#busyWith(name);
    busy.writes--;
    const isLast = begun === busy.begun;
    if (isLast && written !== null && this.#mayKeep(name)) this.#keep(name, Object.freeze({ ...written }));
    this.#release(name, busy);
  }

  #mayKeep(name: string): boolean {
    return !this.#isOff && !this.#uncertain.has(name);
  }

  #busyWith(name: string): Busy<Row> {
    const known = this.#busy.get(name);
    if (known !== undefined) return known;
    const busy: Busy<Row> = { writes: 0, begun: 0, read: null, next: null };
    this.#busy.set(name, busy);
    return busy;
  }

  #release(name: string, { writes, read, next }: Busy<Row>): void {
    if (writes === 0 && read === null && next === null) this.#busy.delete(name);
  }

  #keep(name: string, row: Row): void {
    const size = sizeOf(name, row);
    if (size === null || size > this.#limits.rowSize) return;
    this.#kept.set(name, { row, size });
    this.#keptSize += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#limits.rows && this.#keptSize <= this.#limits.size) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#keptSize -= this.#kept.get(name)?.size ?? 0;
    this.#kept.delete(name);
  }

  #switchOff(): void {
    this.#isOff = true;
    this.#uncertain.clear();
    this.#kept.clear();
    this.#keptSize = 0;
    for (const { read } of this.#busy.values()) if (read !== null) read.isUndisturbed = false;
  }
}

/** Neither of our keys contains a line break. */
function nameOf({ pk, sk }: Key): string {
  return `${pk}\n${sk}`;
}

/** In characters, with the rows in a list; null for a row with bytes, which cannot be frozen. */
function sizeOf(name: string, row: Key): number | null {
  let size = name.length;
  const attributes: [string, unknown][] = Object.entries(row);
  for (const [attribute, value] of attributes) {
    const sizes = Array.isArray(value) ? value.map((one: Key) => sizeOf('', one)) : [sizeOfScalar(value)];
    for (const one of sizes) {
      if (one === null) return null;
      size += one;
    }
    size += attribute.length;
  }
  return size;
}

function sizeOfScalar(value: unknown): number | null {
  return typeof value === 'object' ? null : String(value).length;
}
