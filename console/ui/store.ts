/** Values outside of React that components subscribe to. */
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

/** A choice in the browser's storage, or in the page alone where the browser refuses storage; null for none. */
export function makeKeptStore(key: string): Store<string | null> {
  const store = makeStore(keptText(key));
  // Sent when another tab changes it.
  window.addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) store.set(keptText(key));
  });
  return {
    ...store,
    set(next) {
      try {
        if (next === null) window.localStorage.removeItem(key);
        else window.localStorage.setItem(key, next);
      } catch {} // The browser refuses storage.
      store.set(next);
    },
  };
}

/** Null also where the browser refuses storage. */
export function keptText(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}
