/** The progress of a command as a stream of events, and its job at and before its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type EndedJob, isFinal } from '../../shared/agent/messages.ts';
import { endedAs, type Job } from '../../shared/api/jobs.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { JobId } from '../../shared/identity.ts';
import { RETRY_MS, type ServerEvent, STREAM_MS } from '../http/event-stream.ts';
import { type JobHandle, OUTPUT_WITHIN_MS } from './agent-dispatcher.ts';
import type { CommandContext } from './context.ts';
import type { JobStore } from './job-store.ts';
import { endOf } from './wait-for-job.ts';

/** Ingest usually stores a result a few milliseconds after the agent has published it. */
const STORED_WITHIN_MS = 5_000;

/**
 * The events of a command until it has ended; then the last one is `result`, with the whole job. The texts of the
 * `output` events add up to the whole output: what the agent did not send while the command ran comes before `result`.
 * When the time of the stream ends first, the last event is `end`, with the position at which the next stream continues;
 * without a slot, the stream ends as soon as it has reported the current progress. The command itself continues.
 * @param from characters of output that the reader has already
 * @param user who reads
 * @param unread aborted when the reader is gone
 */
export async function* jobEvents(
  { jobs, waitSlots }: Pick<CommandContext, 'jobs' | 'waitSlots'>,
  followed: JobHandle,
  { from, user }: { from: number; user: string },
  unread: AbortSignal,
  { lastsMs = STREAM_MS } = {},
): AsyncGenerator<ServerEvent> {
  const until = Date.now() + lastsMs;
  const over = endOf(waitSlots, followed, { user, until, gone: unread, withoutSlotMs: OUTPUT_WITHIN_MS });
  over.catch(() => {}); // Awaited below.
  let sent = from;
  const output = (at: number, text: string): ServerEvent => {
    sent = at + text.length;
    return { event: 'output', id: String(sent), data: { at, text } };
  };
  try {
    for await (const event of followed.events(from, over)) {
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
    if (ended === null) {
      const retry = Date.now() < until ? RETRY_MS.withoutSlot : RETRY_MS.afterStream;
      return yield { event: 'end', id: String(sent), retry, data: {} };
    }
    const job = await endedJob(jobs, followed.id, ended);
    const rest = (job.output ?? '').slice(sent);
    if (rest !== '') yield output(sent, rest);
    yield { event: 'result', data: job };
  } finally {
    followed.leave();
    await over.catch(() => {}); // In Lambda, nothing may be in flight when the stream has ended.
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

/** A job that has ended. Where ingest is delayed, from the agent's own message: the row will have the same content. */
export async function endedJob(jobs: JobStore, id: JobId, ended: EndedJob): Promise<Job> {
  const stored = await jobOnceStored(jobs, id);
  return isFinal(stored.state) ? stored : endedAs(stored, ended);
}

/** The job as soon as its result is stored, or as it is when that takes too long. */
async function jobOnceStored(jobs: JobStore, id: JobId): Promise<Job> {
  const giveUpAt = performance.now() + STORED_WITHIN_MS;
  for (;;) {
    const job = await jobs.find(id);
    if (job === null) throw new ServiceError('not_found', `The job ${id} does not exist`);
    if (isFinal(job.state) || performance.now() > giveUpAt) return job;
    await sleep(40);
  }
}

/**
 * The job of a command that its agent has accepted, although its row may not say so yet. Nothing follows the command from
 * here on, so this stores its state: readers see it when the agent cannot be queried.
 */
export async function acceptedJob(
  { jobs, log }: Pick<CommandContext, 'jobs' | 'log'>,
  followed: JobHandle,
): Promise<Job | null> {
  const { id } = followed;
  const row = await jobs.find(id);
  if (row?.state !== 'queued') return row;
  const { isRunning } = await followed.soFar();
  await jobs
    .accepted(id, isRunning ? 'running' : 'accepted')
    .catch((error) => log.warn({ err: error, jobId: id }, 'cannot record the state of a job'));
  return { ...row, state: 'accepted' };
}
