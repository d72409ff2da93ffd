/** A value outside of React that components follow. */
import { useSyncExternalStore } from 'react';

interface Store<T> {
  get: () => T;
  set: (next: T) => void;
  subscribe: (listener: () => void) => () => void;
  use: () => T;
}

export function makeStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe,
    use: () => useSyncExternalStore(subscribe, get),
  };
}

/**
 * A choice of a person, which this browser keeps; null for none. Where the browser keeps nothing for this page, the choice
 * holds until the page is loaded again.
 */
export function makeKeptStore(key: string): Store<string | null> {
  const store = makeStore(read(key));
  // Another tab has changed it.
  window.addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) store.set(read(key));
  });
  return {
    ...store,
    set(next) {
      try {
        if (next === null) window.localStorage.removeItem(key);
        else window.localStorage.setItem(key, next);
      } catch {
        // It is refused altogether.
      }
      store.set(next);
    },
  };
}

function read(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}
