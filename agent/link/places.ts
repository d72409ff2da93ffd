/**
 * Where the agent dials: the server at which it is enrolled, and those that a server has told it of. It stays with the one
 * that it reached last, and when that does not answer, it tries each of the others in turn before it waits.
 */
import type { Logger } from 'pino';
import * as z from 'zod';
import { Deployment, FIRST_DEPLOYMENT, isSameDeployment, Place, Term } from '../../shared/agent/place.ts';
import { writeAtomically } from '../state/atomic-file.ts';
import { readIfThere } from '../state/optional-file.ts';

/**
 * The longest wait between two rounds when there is another place: with five seconds for each step of a connection, a server
 * that has taken over is reached within two minutes.
 */
const LONGEST_PAUSE_MS = 60_000;

/** What an agent remembers of the servers. */
const Known = z.object({
  /** The greatest that it was told. */
  term: Term,
  /** Where it was told that; null for the place of its enrolment. */
  at: Place.nullable(),
  standby: Place.nullable(),
  proof: Deployment.shape.proof,
});
export type Known = z.infer<typeof Known>;

const NOTHING_KNOWN: Known = { ...FIRST_DEPLOYMENT, at: null };

/** The places of one round, each once: first where the agent was last, then the standby of that, then all others. */
export function roundOf({ at, standby }: Known, home: Place, last: Place | null): Place[] {
  const places = [last, at, at === null ? home : null, standby, home].filter((place) => place !== null);
  return places.filter((place, i) => places.findIndex(({ broker }) => broker === place.broker) === i);
}

/** What an agent knows after a server has told it something; null when that server is superseded. */
export function afterTold(known: Known, told: Deployment, from: Place, home: Place): Known | null {
  if (told.term < known.term) return null;
  const at = from.broker === home.broker ? null : from;
  const standby = told.standby?.broker === from.broker ? null : told.standby;
  return { term: told.term, at, standby, proof: told.proof };
}

/** What becomes of the connection at which something was told. */
export type Told =
  /** As before, or another standby. */
  | 'stay'
  /** Another server has taken over, with an older copy: it has to be told everything anew. */
  | 'taken-over'
  /** The server is superseded: nothing that it says counts. */
  | 'superseded';

export class Places {
  readonly #path: string;
  /** Whether the operator of the host has named the one broker to be used. */
  readonly #isFixed: boolean;
  readonly #log: Logger;
  #known: Known;
  #home: Place;
  /** What is left of the present round. */
  #left: Place[] = [];
  #dialled: Place | null = null;
  /** Where the agent was connected last. */
  #last: Place | null = null;

  private constructor(path: string, known: Known, options: { home: Place; isFixed: boolean; log: Logger }) {
    this.#path = path;
    this.#known = known;
    this.#home = options.home;
    this.#isFixed = options.isFixed;
    this.#log = options.log;
  }

  static async open(path: string, options: { home: Place; isFixed: boolean; log: Logger }): Promise<Places> {
    const known = await readKnown(path).catch((error: unknown) => {
      options.log.error({ path, err: error }, 'what is known of other servers cannot be read; it is told again');
      return NOTHING_KNOWN;
    });
    return new Places(path, known, options);
  }

  /** Whether the next place is the first of a round. */
  get isRoundOver(): boolean {
    return this.#left.length === 0;
  }

  /** The place to dial next. @param home where the agent is enrolled, which a renewal may have changed */
  next(home: Place): Place {
    this.#home = home;
    if (this.#left.length === 0) this.#left = this.#round();
    this.#dialled = this.#left.shift() ?? home;
    return this.#dialled;
  }

  /** How long to wait after a failed attempt. @param proposedMs what the back-off says */
  pauseMs(proposedMs: number): number {
    if (!this.isRoundOver) return 0;
    return this.#round().length > 1 ? Math.min(proposedMs, LONGEST_PAUSE_MS * (0.5 + Math.random() / 2)) : proposedMs;
  }

  /** The agent is connected where it dialled last. */
  connected(): void {
    this.#last = this.#dialled;
    this.#left = [];
  }

  /** The API of the server that the agent was connected with last; null for that of its enrolment. */
  get api(): string | null {
    const place = this.#last ?? this.#known.at;
    return place === null || place.broker === this.#home.broker ? null : place.api;
  }

  /** For the presence; undefined when the agent was never told anything. */
  get deployment(): Deployment | undefined {
    const { term, standby, proof } = this.#known;
    return isSameDeployment({ term, standby }, FIRST_DEPLOYMENT) ? undefined : { term, standby, proof };
  }

  /** Takes what the server says with which the agent is connected. */
  take(told: Deployment): Told {
    // Not where it was last: a message may come before it is known that the agent is connected.
    const from = this.#dialled ?? this.#home;
    const before = this.#known;
    const after = afterTold(before, told, from, this.#home);
    if (after === null) {
      this.#log.error(
        { broker: from.broker, term: told.term, known: before.term },
        'this server is superseded: another one has taken over from it',
      );
      this.#last = null;
      return 'superseded';
    }
    this.#known = after;
    if (after.term === before.term) return 'stay';
    this.#log.warn({ broker: from.broker, term: after.term }, 'this server has taken over: it is told everything anew');
    return 'taken-over';
  }

  /** Writes down what was taken. @throws {Error} when the file cannot be written */
  async keep(): Promise<void> {
    await writeAtomically(this.#path, JSON.stringify(this.#known));
  }

  #round(): Place[] {
    return this.#isFixed ? [this.#home] : roundOf(this.#known, this.#home, this.#last);
  }
}

/** What the agent of a state directory knows. @throws {Error} when the file cannot be read */
export async function readKnown(path: string): Promise<Known> {
  const text = await readIfThere(path);
  return text === null ? NOTHING_KNOWN : Known.parse(JSON.parse(text));
}
