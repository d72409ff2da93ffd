/** What an agent sends as the result of a job, made into a result that can be stored and shown. */
import { MAX_MESSAGE_CHARACTERS, PROTOCOL_VERSION, type Result, type Tool } from '../../shared/agent/messages.ts';
import { parseToolData } from '../../shared/agent/results.ts';
import { unpackResult } from '../../shared/agent/wire.ts';
import type { JobId } from '../../shared/identity.ts';
import { oneLine, startOf } from '../../shared/text.ts';
import { problemOf } from '../problem.ts';

/** What is known of a job whose result is read. */
export interface Expected {
  id: JobId;
  tool: Tool;
  /** Unix, ms. */
  createdAt: number;
}

/**
 * The result in a payload that names this job. An agent is not trusted to send one: what cannot be unpacked, or is no
 * result of this tool, becomes a result that says so (`malformed_result`). Its times are moved into the time between the
 * job's creation and now: the agent's clock may be wrong, and so may its intentions be. Never throws.
 */
export function readResult(payload: Uint8Array, { id, tool, createdAt }: Expected): Result {
  const now = Date.now();
  let output = '';
  try {
    const result = unpackResult(payload);
    output = result.output;
    const startedAt = result.startedAt === null ? null : between(createdAt, result.startedAt, now);
    return {
      ...result,
      message: result.message === null ? null : sentence(result.message),
      data: parseToolData(tool, result.data),
      startedAt,
      endedAt: between(startedAt ?? createdAt, result.endedAt, now),
    };
  } catch (error) {
    return {
      v: PROTOCOL_VERSION,
      id,
      t: 'result',
      state: 'failed',
      reason: 'malformed_result',
      message: sentence(`The agent sent a result that cannot be read: ${problemOf(error)}`),
      output,
      truncated: false,
      data: null,
      startedAt: null,
      endedAt: now,
    };
  }
}

/** The time, or the nearest one that is neither too early nor too late; where those disagree, the earliest. */
function between(earliest: number, time: number, latest: number): number {
  return Math.max(earliest, Math.min(time, latest));
}

function sentence(text: string): string {
  return startOf(oneLine(text), MAX_MESSAGE_CHARACTERS);
}
