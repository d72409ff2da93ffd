/** URLs that lead to this host only, and those that lead others to it. */
import { networkInterfaces } from 'node:os';
import { hostInUrl, reachableAddresses } from '../../shared/reachable-address.ts';

/** Whether the URL leads to this host only. */
export function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** This host answers itself in milliseconds. */
const ANSWERS_WITHIN_MS = 2_000;

/**
 * The URL by which other hosts reach an API of this host, if it listens for them.
 * @param url one that leads to this host only
 * @param interfaces the addresses of this host
 */
export async function urlForOthers(
  url: string,
  interfaces: Parameters<typeof reachableAddresses>[0] = networkInterfaces(),
): Promise<string | null> {
  const urls = reachableAddresses(interfaces).map((address) => {
    const other = new URL(url);
    other.hostname = hostInUrl(address);
    return other.href.replace(/\/$/, '');
  });
  const answered = await Promise.all(urls.map(isOurs));
  return urls.find((_, i) => answered[i]) ?? null;
}

/** Another program may listen at another address: it gets a request without a token. */
async function isOurs(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    const answer: unknown = await response.json();
    return typeof answer === 'object' && answer !== null && 'status' in answer && 'version' in answer;
  } catch {
    return false;
  }
}
