import type { Reason } from '../../shared/agent/messages.ts';

/** A command that failed. The output so far is kept. */
export class ToolFailure extends Error {
  override name = 'ToolFailure';
  readonly reason: Reason;
  readonly output: string;
  readonly truncated: boolean;

  constructor(reason: Reason, message: string, options: ErrorOptions & { output?: string; truncated?: boolean } = {}) {
    super(message, options);
    this.reason = reason;
    this.output = options.output ?? '';
    this.truncated = options.truncated ?? false;
  }
}
