import { PROTOCOL_VERSION, type Result } from '../../shared/agent/messages.ts';
import type { JobId } from '../../shared/identity.ts';

/** What a command without output comes to. */
export const ENDED = {
  ...{ state: 'succeeded' as const, reason: null, message: null, output: '', truncated: false, result: null },
  ...{ startedAt: 1, endedAt: 2 },
} as const;

/** A result as an agent packs it. */
export const resultOf = (id: JobId, changes: Partial<Result> = {}): Result => ({
  ...{ v: PROTOCOL_VERSION, id, t: 'result', ...ENDED, ...changes },
});
