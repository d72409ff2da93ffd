/**
 * The upstream log: everything that must reach the service, in one append-only file. A record is one or more lines of one
 * kind and number, kept until the service confirms it. Beyond that, the last change of each subject stays: the state that
 * the service knows.
 */
import type { Logger } from 'pino';
import * as z from 'zod';
import { parseJson } from '../../shared/json.ts';
import { DAY_MS, Millis } from '../../shared/time.ts';
import { LineFile } from '../state/line-file.ts';

/** `points` are those of a closed batch; `point` is one of an open batch, and is not sent. */
export const KINDS = ['result', 'change', 'points', 'point'] as const;
export type Kind = (typeof KINDS)[number];

type Log = Pick<Logger, 'error' | 'warn'>;

interface Limits {
  records: number;
  bytes: number;
  ageMs: number;
}
const MIB = 1024 * 1024;
const LIMITS = {
  /** A week of a command every minute. */
  result: { records: 10_000, bytes: 256 * MIB, ageMs: 7 * DAY_MS },
  points: { records: Number.POSITIVE_INFINITY, bytes: 64 * MIB, ageMs: 7 * DAY_MS },
} satisfies Partial<Record<Kind, Limits>>;
/** Beyond this many changes, superseded ones are dropped. There are far fewer subjects. */
const MAX_CHANGES = 5_000;

/** Precedes the body of a line, and a tab: number, kind, subject, and the bytes of the body. */
const Head = z.tuple([Millis, z.enum(KINDS), z.string(), z.int().min(0)]);
const Note = z.object({
  /** Records that are confirmed or dropped. */
  done: z.array(Millis).optional(),
  /** Subjects whose state the agent reports again. */
  forget: z.array(z.string()).optional(),
  /** The last number in use. */
  last: Millis.optional(),
});
type Note = z.infer<typeof Note>;

const TAB = 0x09;
const REWRITE_AT_BYTES = 256 * 1024;

interface Line {
  readonly n: number;
  readonly kind: Kind;
  readonly about: string;
  readonly bytes: number;
  /** The offset of its body in the file; null before it is written. */
  at: number | null;
  /** The body, until it is written. */
  text: string;
}

export interface UpstreamOptions {
  limits?: Partial<Record<Kind, Limits>>;
  now?: () => number;
}

export class UpstreamLog {
  readonly #log: Log;
  readonly #limits: Partial<Record<Kind, Limits>>;
  readonly #now: () => number;
  readonly #file: LineFile;
  /** The lines of each unconfirmed record, oldest first. */
  readonly #waiting = new Map<number, Line[]>();
  readonly #known = new Map<string, Line>();
  #last = 0;
  /** Offsets in the compacted file that is being written. */
  #moved = new Map<Line, number>();

  private constructor(path: string, log: Log, { limits = {}, now = Date.now }: UpstreamOptions) {
    this.#log = log;
    this.#now = now;
    this.#limits = { ...LIMITS, ...limits };
    this.#file = new LineFile(path, {
      rewriteAtBytes: REWRITE_AT_BYTES,
      needed: () => this.#needed(),
      onRewritten: () => {
        for (const [line, at] of this.#moved) line.at = at;
      },
    });
  }

  /** Resumes however the previous process ended. There is no file before the first record. */
  static async open(path: string, log: Log, options: UpstreamOptions = {}): Promise<UpstreamLog> {
    const upstream = new UpstreamLog(path, log, options);
    for await (const { line, offset } of upstream.#file.lines()) upstream.#take(line, offset);
    for (const kind of KINDS) upstream.makeRoom(kind);
    upstream.#dropOvertaken();
    return upstream;
  }

  /** The number of a new record, greater than any before; also after a reinstallation, because it starts at the time. */
  takeNumber(): number {
    this.#last = Math.max(this.#now(), this.#last + 1);
    return this.#last;
  }

  /** A number without a record. Later ones are greater, even after kill -9 and a clock that was set back. */
  keepNumber(): number {
    const last = this.takeNumber();
    void this.#note({ last }, false);
    return last;
  }

  /** Adds a line to a record at once. @returns whether it is on disk; otherwise it is in memory until it is confirmed */
  async append(kind: Kind, n: number, about: string, body: unknown): Promise<boolean> {
    const text = JSON.stringify(body);
    const line: Line = { n, kind, about, bytes: Buffer.byteLength(text), at: null, text };
    this.#enter(line);
    if (kind === 'change') this.#dropOvertaken();
    else this.makeRoom(kind);
    const head = headOf(line);
    try {
      await this.#file.append(`${head}${text}`, kind !== 'point', (offset) => {
        line.at = offset + Buffer.byteLength(head);
        line.text = '';
      });
      return true;
    } catch (error) {
      this.#log.error({ kind, n, err: error }, 'a record cannot be written to the upstream log');
      return false;
    }
  }

  /** The unconfirmed records of this kind, oldest first, each with the subject of its first line. */
  waiting(kind: Kind): { n: number; about: string }[] {
    this.makeRoom(kind);
    return this.#recordsOf(kind).map(([n, [line]]) => ({ n, about: line?.about ?? '' }));
  }

  has(n: number): boolean {
    return this.#waiting.has(n);
  }

  /** The bodies of a record; null for an unreadable one. */
  read(n: number): unknown[] {
    return (this.#waiting.get(n) ?? []).map((line) => this.#bodyOf(line));
  }

  /** The last body of a subject; undefined when the agent must report it again. */
  known(about: string): unknown {
    const line = this.#known.get(about);
    return line && this.#bodyOf(line);
  }

  /** Makes the agent report the matching subjects again. */
  async forget(isForgotten: (about: string) => boolean): Promise<void> {
    const forget = [...this.#known.keys()].filter(isForgotten);
    for (const about of forget) this.#known.delete(about);
    if (forget.length > 0) await this.#note({ forget }, true);
  }

  /** Removes a record that the service has stored, or that is dropped. */
  confirm(n: number): void {
    if (this.#waiting.delete(n)) void this.#note({ done: [n] }, false);
  }

  /** When this resolves, all lines are on disk. */
  close(): Promise<void> {
    return this.#file.close();
  }

  async #note(note: Note, durable: boolean): Promise<void> {
    try {
      await this.#file.append(JSON.stringify(note), durable);
    } catch (error) {
      // After a restart the agent sends the record again, which changes nothing.
      this.#log.warn({ err: error }, 'a note cannot be written to the upstream log');
    }
  }

  /** Reads a line of the file. Skips invalid and truncated ones, which were never reported as written. */
  #take(bytes: Buffer, offset: number): void {
    const tab = bytes.indexOf(TAB);
    if (tab === -1) {
      const note = Note.safeParse(parseJson(bytes.toString('utf8'))).data;
      for (const n of note?.done ?? []) this.#waiting.delete(n);
      for (const about of note?.forget ?? []) this.#known.delete(about);
      this.#last = Math.max(this.#last, note?.last ?? 0);
      return;
    }
    const head = Head.safeParse(parseJson(bytes.toString('utf8', 0, tab))).data;
    if (head === undefined || head[3] !== bytes.length - tab - 1) return;
    const [n, kind, about, length] = head;
    this.#enter({ n, kind, about, bytes: length, at: offset + tab + 1, text: '' });
  }

  #enter(line: Line): void {
    const { n, kind, about } = line;
    const lines = this.#waiting.get(n);
    if (lines === undefined) this.#waiting.set(n, [line]);
    else lines.push(line);
    this.#last = Math.max(this.#last, n);
    if (isKnownAfter(kind)) this.#known.set(about, line);
  }

  #bodyOf(line: Line): unknown {
    try {
      return parseJson(this.#textOf(line));
    } catch (error) {
      this.#log.error({ n: line.n, err: error }, 'the upstream log cannot be read');
      return null;
    }
  }

  #textOf({ text, at, bytes }: Line): string {
    return at === null ? text : this.#file.read(at, bytes);
  }

  #recordsOf(kind: Kind): [number, Line[]][] {
    return [...this.#waiting].filter(([, [line]]) => line?.kind === kind);
  }

  /** Drops the oldest records of a kind beyond its limits. */
  makeRoom(kind: Kind): void {
    const limits = this.#limits[kind];
    if (limits === undefined) return;
    const records = this.#recordsOf(kind);
    let bytes = records.reduce((sum, [, lines]) => sum + bytesOf(lines), 0);
    for (const [i, [n, lines]] of records.entries()) {
      if (records.length - i <= limits.records && bytes <= limits.bytes && this.#now() - n <= limits.ageMs) return;
      bytes -= bytesOf(lines);
      this.confirm(n);
      const about = lines[0]?.about;
      this.#log.error({ kind, n, about }, 'the upstream log is full: dropped the oldest record, which was unconfirmed');
    }
  }

  /** Of too many changes, keeps the last one of each subject. */
  #dropOvertaken(): void {
    const records = this.#recordsOf('change');
    const all = records.flatMap(([, lines]) => lines);
    if (all.length <= MAX_CHANGES) return;
    const last = new Set(new Map(all.map((line) => [line.about, line])).values());
    for (const [n, lines] of records) {
      const kept = lines.filter((line) => last.has(line));
      if (kept.length > 0) this.#waiting.set(n, kept);
      else this.confirm(n);
    }
    this.#log.error({ kept: last.size }, 'too many unconfirmed changes: dropped those that later ones supersede');
  }

  /** The lines of the compacted file. Lines that are not written yet follow it. */
  *#needed(): Generator<string> {
    this.#moved = new Map();
    let offset = 0;
    const lines = new Set([...[...this.#waiting.values()].flat(), ...this.#known.values()]);
    const written = [...lines].filter(({ at }) => at !== null);
    for (const line of written.sort((a, b) => a.n - b.n)) {
      const head = headOf(line);
      this.#moved.set(line, offset + Buffer.byteLength(head));
      offset += Buffer.byteLength(head) + line.bytes + 1;
      yield `${head}${this.#textOf(line)}`;
    }
    const done = written.filter(({ n }) => !this.has(n)).map(({ n }) => n);
    yield JSON.stringify({ done, last: this.#last } satisfies Note);
  }
}

const bytesOf = (lines: readonly Line[]) => lines.reduce((sum, { bytes }) => sum + bytes, 0);

const isKnownAfter = (kind: Kind) => kind === 'change' || kind === 'points';

const headOf = ({ n, kind, about, bytes }: Line) =>
  `${JSON.stringify([n, kind, about, bytes] satisfies z.infer<typeof Head>)}\t`;
