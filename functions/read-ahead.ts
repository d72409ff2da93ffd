/** Reads that are begun before it is known that they will be needed, and used later in the same request. */
import { currentRequest } from './dynamodb/capacity.ts';

export interface ReadAhead<T> {
  /** Begins to read, for the request under way. Outside of one it does nothing. */
  begin(name: string): void;
  /**
   * What was read under this name, or is read now. What was begun ahead is given once: it is younger than its
   * request, so it shows all that the request may expect, but not what the request itself has written since.
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
      result.catch(() => {}); // Told to whoever takes it.
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
