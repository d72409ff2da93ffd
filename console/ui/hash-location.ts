/**
 * The address of a screen behind the `#`, with its query. wouter's own hook puts a query in front of the `#`, where the
 * browser would send it to the server, and keep it for the next screen.
 */
import { useCallback, useMemo, useSyncExternalStore } from 'react';

interface NavigateOptions {
  /** Replaces the present entry of the history. */
  replace?: boolean;
}

/** For the `hook` of wouter's router. */
export function useHashLocation(): [string, (to: string, options?: NavigateOptions) => void] {
  return [useSyncExternalStore(subscribe, path), navigate];
}
useHashLocation.hrefs = (href: string) => `#${href}`;

/** The query of the screen's address, and how to replace it. */
export function useHashQuery(): [URLSearchParams, (query: URLSearchParams, options?: NavigateOptions) => void] {
  const search = useSyncExternalStore(subscribe, queryText);
  const query = useMemo(() => new URLSearchParams(search), [search]);
  const replaceQuery = useCallback((next: URLSearchParams, options: NavigateOptions = {}) => {
    navigate(next.size === 0 ? path() : `${path()}?${next}`, options);
  }, []);
  return [query, replaceQuery];
}

function address(): string {
  return `/${window.location.hash.replace(/^#?\/?/, '')}`;
}

function path(): string {
  return address().split('?', 1)[0] ?? '/';
}

function queryText(): string {
  const at = address().indexOf('?');
  return at === -1 ? '' : address().slice(at + 1);
}

function navigate(to: string, { replace = false }: NavigateOptions = {}): void {
  const { href: oldURL } = window.location;
  const newURL = `${oldURL.split('#', 1)[0]}#${to}`;
  window.history[replace ? 'replaceState' : 'pushState'](null, '', newURL);
  // The browser sends this event only for links and the history.
  window.dispatchEvent(new HashChangeEvent('hashchange', { oldURL, newURL }));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}
