import type { Reason } from '../../shared/agent/messages.ts';
import { packageOf } from '../../shared/tools/list.ts';
import type { Platform } from './platform.ts';

/** A command that failed, with its output so far. */
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

export function missing(program: string, platform: Platform): ToolFailure {
  const how = platform === 'linux' ? `; install it with: apt install ${packageOf(program)}` : '';
  return new ToolFailure('tool_missing', `${program} is not installed on the agent's host${how}`);
}

/** The result of a tool; null when it fails with a {@link ToolFailure}. */
export async function nullIfFailed<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (error instanceof ToolFailure) return null;
    throw error;
  });
}

/** A container may lack a capability that the file of a program requires, such as that of Debian's ping. */
export function forbidden(program: string): ToolFailure {
  return new ToolFailure('tool_failed', `${program} is installed on the agent's host, but the agent may not start it`);
}

/** @param text the error of the program that could not start it */
export function isForbidden(text: string): boolean {
  return /(?:Operation not permitted|Permission denied)\s*$/.test(text);
}
