/** Parses and validates the result of a job that an agent sends. */
import { type EndedJob, MAX_MESSAGE_CHARACTERS } from '../../shared/agent/messages.ts';
import { unpackResult } from '../../shared/agent/wire.ts';
import { problemOf } from '../../shared/problem.ts';
import { legible, oneLine, startOf } from '../../shared/text.ts';
import type { Tool } from '../../shared/tools/list.ts';
import { parseToolResult } from '../../shared/tools/parse-result.ts';

/** What the result must match. */
interface Expected {
  tool: Tool;
  /** Unix, ms. */
  createdAt: number;
}

/**
 * Parses the payload of a result. Agents are not trusted: a payload that cannot be unpacked, or is not a result of this
 * tool, becomes a failure with the reason `malformed_result`. Its times are clamped to between the job's creation and
 * now, because the agent's clock may be wrong, or its times forged. Never throws.
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

/** Clamps a time to a range; if the range is empty, to its earliest time. */
const between = (earliest: number, time: number, latest: number): number => Math.max(earliest, Math.min(time, latest));

const sentence = (text: string): string => legible(startOf(oneLine(text), MAX_MESSAGE_CHARACTERS));
