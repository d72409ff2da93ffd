/** Reads that begin before it is known that they will be needed, and are used later in the same request. */
import { currentRequest } from './capacity.ts';

export interface ReadAhead<T> {
  /** Begins to read, for the request under way. Outside of one it does nothing. */
  begin(name: string): void;
  /**
   * The result of the read that `begin` started for the same name and request, or of a read that starts now. A result is
   * given out once: it is as new as its request may expect, but lacks what the request itself has written since.
   */
  take(name: string): Promise<T>;
}

export function readAhead<T>(read: (name: string) => Promise<T>): ReadAhead<T> {
  const begun = new WeakMap<WeakKey, { name: string; result: Promise<T> }>();
  return {
    begin(name) {
      const request = currentRequest();
      if (request === null) return;
      const result = read(name);
      result.catch(() => {}); // Whoever takes it gets the error.
      begun.set(request, { name, result });
    },

    take(name) {
      const request = currentRequest();
      const ahead = request === null ? undefined : begun.get(request);
      if (request === null || ahead?.name !== name) return read(name);
      begun.delete(request);
      return ahead.result;
    },
  };
}
