/** The progress of a command as a stream of events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal } from '../../shared/agent/messages.ts';
import { endedAs, type Job } from '../../shared/api/jobs.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { JobId } from '../../shared/identity.ts';
import type { Context } from '../context/context.ts';
import type { JobStore } from '../dynamodb/job-store.ts';
import type { ServerEvent } from '../http/event-stream.ts';
import type { JobHandle } from '../mqtt/agent-dispatcher.ts';

/** The gateway ends a stream after 15 minutes; the client then reconnects and continues. */
const LONGEST_STREAM_MS = 14 * 60_000;
/** Ingest usually stores a result a few milliseconds after the agent has published it. */
const STORED_WITHIN_MS = 5_000;
const CHECK_INTERVAL_MS = 40;

/**
 * The events of a command until it has ended; the last one is `result`, with the whole job. The texts of the `output`
 * events add up to the whole output: what the agent did not send while the command ran comes before `result`. Stops
 * following when the command ends, or when nobody reads any more; the command itself continues.
 * @param from characters of output that the reader has already
 * @param unread aborted when nobody reads any more
 */
export async function* jobEvents(
  { jobs }: Pick<Context, 'jobs'>,
  followed: JobHandle,
  from: number,
  unread: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const over = followed.end(LONGEST_STREAM_MS);
  over.catch(() => {}); // Awaited below.
  let shown = from;
  const output = (at: number, text: string): ServerEvent => {
    shown = at + text.length;
    return { event: 'output', id: String(shown), data: { at, text } };
  };
  try {
    for await (const event of followed.events(from, Promise.race([over, aborted(unread)]))) {
      if (event.type === 'accepted') {
        const { state, position } = event;
        yield { event: 'accepted', data: { id: followed.id, state, ...(position === null ? {} : { position }) } };
      } else if (event.type === 'output') {
        yield output(event.at, event.text);
      } else {
        const { phase, percent } = event;
        yield { event: 'progress', data: { phase, percent } };
      }
    }
    if (unread.aborted) return;
    const ended = await over;
    if (ended === null) return;
    const stored = await jobOnceStored(jobs, followed.id);
    // Ingest may be delayed by minutes. The agent's own message has the same content as the row will have.
    const job = isFinal(stored.state) ? stored : endedAs(stored, ended);
    const rest = (job.output ?? '').slice(shown);
    if (rest !== '') yield output(shown, rest);
    yield { event: 'result', data: job };
  } finally {
    followed.leave();
  }
}

/**
 * The job of a command that has ended, with its result.
 * @throws {ServiceError} `unavailable` when the result is not stored in time
 */
export async function storedJob(jobs: JobStore, id: JobId): Promise<Job> {
  const job = await jobOnceStored(jobs, id);
  if (!isFinal(job.state)) throw new ServiceError('unavailable', `The result of ${id} is not stored yet`);
  return job;
}

/** The job as soon as its result is stored, or as it is when that takes too long. */
async function jobOnceStored(jobs: JobStore, id: JobId): Promise<Job> {
  const giveUpAt = Date.now() + STORED_WITHIN_MS;
  for (;;) {
    const job = await jobs.find(id);
    if (job === null) throw new ServiceError('not_found', `The job ${id} does not exist`);
    if (isFinal(job.state) || Date.now() > giveUpAt) return job;
    await sleep(CHECK_INTERVAL_MS);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
