/** Callers that wait for the end of a cycle. */
import { ToolFailure } from '../host/tool-failure.ts';

interface Waiting<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export class WaitingCallers<Result> {
  readonly #all = new Set<Waiting<Result>>();

  get count(): number {
    return this.#all.size;
  }

  /** Those that wait now. */
  all(): Waiting<Result>[] {
    return [...this.#all];
  }

  /** Resolves when `settle` is called; rejects when the signal aborts before. */
  wait(signal: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = { resolve, reject };
      this.#all.add(waiting);
      signal.addEventListener('abort', () => this.#all.delete(waiting) && reject(signal.reason), { once: true });
    });
  }

  /** @param some default: all that wait now */
  settle(result: Result | Error, some: Iterable<Waiting<Result>> = this.all()): void {
    for (const one of some) {
      if (!this.#all.delete(one)) continue; // Its caller cancelled it.
      if (!(result instanceof Error)) one.resolve(result);
      else one.reject(result instanceof ToolFailure ? result : new ToolFailure('tool_failed', result.message));
    }
  }
}
