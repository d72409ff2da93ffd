/** Several processes that change the devices of one site: how long a change takes, and how many give up. */
import { CHANGE_WITHIN_MS } from '../../store/devices/device-store.ts';
import { mulberry32 } from '../devices.ts';

/** A call of the table within a region. */
const CALL_MS = 5;
/** Processor time of a change of 25 devices at 512 MB, which is 0.3 of a processor: planning, and 27 calls. */
const COMPUTE_MS = 30;
/** Of one change, when nobody else makes one: the version, the journal, the devices at the same time, the version again. */
export const CHANGE_SECONDS = (4 * CALL_MS + COMPUTE_MS) / 1_000;
/** As `store/back-off.ts` waits before another attempt: a random part of it. */
const longestBackOffMs = (attempt: number) => Math.min(40 * 2 ** attempt, 1_500);
const PLAYED_SECONDS = 300;

export interface Contention {
  /** Of 99 in 100 changes, from when it is asked for to its end. */
  mostMs: number;
  /** Part of the changes. */
  givenUp: number;
}

interface Writer {
  /** When it takes its next step. */
  at: number;
  step: 'begin' | 'read' | 'commit' | 'finish';
  /** When each change that it has not begun was asked for, the next one last. */
  queue: number[];
  askedAt: number;
  begunAt: number;
  /** The version that it has read. */
  base: number;
  attempt: number;
}

/** Plays processes among which so many changes a second are spread at random, in virtual time. */
export function playWriters(processes: number, changesPerSecond: number): Contention {
  const random = mulberry32(1);
  const writers = Array.from({ length: processes }, (): Writer => {
    return { at: 0, step: 'begin', queue: [], askedAt: 0, begunAt: 0, base: 0, attempt: 0 };
  });
  let asked = 0;
  for (let at = 0; at < PLAYED_SECONDS * 1_000; at += -Math.log(1 - random()) * (1_000 / changesPerSecond)) {
    writers[Math.floor(random() * processes)]?.queue.push(at);
    asked++;
  }
  for (const { queue } of writers) queue.reverse();
  let committed = 0;
  let readable = 0;
  let givenUp = 0;
  const took: number[] = [];
  while (took.length + givenUp < asked) {
    const writer = writers.reduce((first, other) => (other.at < first.at ? other : first));
    const now = writer.at;
    switch (writer.step) {
      case 'begin': {
        const askedAt = writer.queue.pop() ?? Infinity;
        const begunAt = Math.max(now, askedAt);
        Object.assign(writer, { askedAt, begunAt, at: begunAt, attempt: 0, step: 'read' });
        break;
      }
      case 'read':
        writer.base = readable;
        writer.step = 'commit';
        writer.at += 2 * CALL_MS + COMPUTE_MS;
        break;
      case 'commit':
        if (writer.base === committed) {
          committed++;
          writer.step = 'finish';
          writer.at += 2 * CALL_MS;
        } else if (now - writer.begunAt > CHANGE_WITHIN_MS) {
          givenUp++;
          writer.step = 'begin';
        } else {
          writer.step = 'read';
          writer.at += longestBackOffMs(writer.attempt++) * random();
        }
        break;
      case 'finish':
        readable = committed;
        took.push(now - writer.askedAt);
        writer.step = 'begin';
        break;
    }
  }
  took.sort((a, b) => a - b);
  return { mostMs: took[Math.floor(took.length * 0.99)] ?? Infinity, givenUp: givenUp / asked };
}
