/** What the ways of finding devices have in common. */
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { formatIp, parseIp, parseMac } from '../../shared/network.ts';
import type { RunProcess } from '../host/run-process.ts';

/** A sign that a device is online. */
export interface Evidence {
  mac: string;
  /** In canonical form, without a zone. */
  ip: string;
  /** Whether the device responded in this cycle. Otherwise the kernel knew it, and the sign may be half a minute old. */
  fresh: boolean;
}

export interface ScanContext {
  run: RunProcess;
  signal: AbortSignal;
}

/** The evidence in one line of output; null when there is none, or it names no device. */
export function evidenceOf(ip: string, mac: string, fresh: boolean): Evidence | null {
  const [address, card] = [parseIp(ip.split('%')[0] ?? ''), parseMac(mac)];
  if (address === null || card === null || !isDeviceMac(card)) return null;
  return { ip: formatIp(address), mac: card, fresh };
}

export function isLinkLocal(ip: string): boolean {
  return /^fe[89ab]/.test(ip);
}

/** Resolves after this time, or when the signal aborts. Does not keep the process running. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** Whether something periodic is due; also after the clock was set back. */
export function isDue(lastAt: number | null | undefined, everyMs: number, now: number): boolean {
  return lastAt == null || now - lastAt >= everyMs || now < lastAt;
}

/** The values of each key. */
export function multimap<Key, Value>(entries: Iterable<readonly [Key, Value]>): Map<Key, Set<Value>> {
  const all = new Map<Key, Set<Value>>();
  for (const [key, value] of entries) all.set(key, (all.get(key) ?? new Set()).add(value));
  return all;
}
