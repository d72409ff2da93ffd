/** A command as it goes on, as events for its caller. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal } from '../../shared/agent/messages.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { JobId } from '../../shared/identity.ts';
import type { Context } from '../context.ts';
import type { JobStore } from '../dynamodb/job-store.ts';
import type { ServerEvent } from '../http/event-stream.ts';
import type { FollowedJob } from '../mqtt/agent-link.ts';

/** The gateway in front ends a stream after 15 minutes; a client comes back with what it has. */
const LONGEST_STREAM_MS = 14 * 60_000;
const STORED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 40;

/**
 * The events of a followed command until it has ended; then the last one is `result`, with the whole job. Leaves the
 * command when it ends, or when the reader does; the command itself goes on.
 * @param from characters of output that the reader has already
 */
export async function* jobEvents(
  { jobs }: Pick<Context, 'jobs'>,
  followed: FollowedJob,
  from: number,
): AsyncGenerator<ServerEvent> {
  const over = followed.end(LONGEST_STREAM_MS);
  over.catch(() => {}); // Told below.
  try {
    for await (const event of followed.events(from)) {
      if (event.type === 'accepted') {
        const { state, position } = event;
        yield { event: 'accepted', data: { id: followed.id, state, ...(position === null ? {} : { position }) } };
      } else if (event.type === 'output') {
        const { at, text } = event;
        yield { event: 'output', id: String(at + text.length), data: { at, text } };
      } else {
        const { phase, percent } = event;
        yield { event: 'progress', data: { phase, percent } };
      }
    }
    if ((await over) === null) return;
    yield { event: 'result', data: await storedJob(jobs, followed.id) };
  } finally {
    followed.leave();
  }
}

/** The job of a command that has ended: its result is stored a moment after it was told. */
export async function storedJob(jobs: JobStore, id: JobId): Promise<Job> {
  const giveUpAt = Date.now() + STORED_WITHIN_MS;
  for (;;) {
    const job = await jobs.find(id);
    if (job === null) throw new ServiceError('not_found', `There is no job ${id}`);
    if (isFinal(job.state)) return job;
    if (Date.now() > giveUpAt) throw new ServiceError('unavailable', `The result of ${id} is not stored yet`);
    await sleep(LOOK_EVERY_MS);
  }
}
