/** Reads that are started before it is certain that they are needed, and used later in the same request. */
import { currentRequest } from './capacity.ts';

export interface ReadAhead<T> {
  /** Starts to read, for the current request. Outside of a request it does nothing. */
  begin(name: string): void;
  /**
   * The result of the read that `begin` started under this name in the same request, or of a read that starts now. A
   * result is returned only once, because it lacks what the request itself has written since.
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
      result.catch(() => {}); // `take` rejects with it.
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
