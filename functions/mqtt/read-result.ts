/** What an agent sends as the result of a job, made into a result that can be stored and shown. */
import { type EndedJob, MAX_MESSAGE_CHARACTERS } from '../../shared/agent/messages.ts';
import { unpackResult } from '../../shared/agent/wire.ts';
import { oneLine, startOf } from '../../shared/text.ts';
import type { Tool } from '../../shared/tools/list.ts';
import { parseToolResult } from '../../shared/tools/parse-result.ts';
import { problemOf } from '../log/problem.ts';

/** What is known of a job whose result is read. */
export interface Expected {
  tool: Tool;
  /** Unix, ms. */
  createdAt: number;
}

/**
 * How a job ended, as the payload that names it says. An agent is not trusted to send a result: what cannot be unpacked, or
 * is no result of this tool, becomes a failure that says so (`malformed_result`). Its times are moved into the time between
 * the job's creation and now: the agent's clock may be wrong, and so may its intentions be. Never throws.
 */
export function readResult(payload: Uint8Array, { tool, createdAt }: Expected): EndedJob {
  const now = Date.now();
  let output = '';
  try {
    const { v, t, id, ...sent } = unpackResult(payload);
    output = sent.output;
    const startedAt = sent.startedAt === null ? null : between(createdAt, sent.startedAt, now);
    return {
      ...sent,
      message: sent.message === null ? null : sentence(sent.message),
      result: parseToolResult(tool, sent.result),
      startedAt,
      endedAt: between(startedAt ?? createdAt, sent.endedAt, now),
    };
  } catch (error) {
    return {
      state: 'failed',
      reason: 'malformed_result',
      message: sentence(`The agent sent a result that cannot be read: ${problemOf(error)}`),
      output,
      truncated: false,
      result: null,
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
