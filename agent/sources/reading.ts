/** One reading of a source: what comes of its rows, cleaned, and one host for each MAC. */
import { isAbsolute } from 'node:path';
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import { MAX_OBSERVATION_CHARACTERS } from '../../shared/agent/observations.ts';
import { deferred } from '../../shared/async.ts';
import { codeOf } from '../../shared/errno.ts';
import { formatIp, namesNoHost, parseIp, parseMac, rangeOf } from '../../shared/network.ts';
import { readRegularFile } from '../state/regular-file.ts';
import { type HttpOptions, MAX_BYTES, sendHttp } from './http.ts';
import type { Source } from './settings.ts';
import { MAX_ROWS, SourceFailure, type SourceLink, type SourceObservation, type SourceRequest } from './source.ts';

export interface Reading {
  /** By MAC. */
  hosts: ReadonlyMap<string, SourceObservation>;
  /** Whether the source has more rows than are read. */
  isCut: boolean;
}

interface ReadOptions extends HttpOptions {
  memory: Map<string, string>;
  now(): number;
  /** For the whole reading; default: 2 min. */
  withinMs?: number;
}

/** Addresses of one host that are kept. */
const MAX_ADDRESSES = 16;

/** @throws {SourceFailure} */
export async function readSource(
  { kind, settings }: Source,
  options: ReadOptions,
  stop: AbortSignal,
): Promise<Reading> {
  const withinMs = options.withinMs ?? 120_000;
  const over = new AbortController();
  const { promise: ended, reject } = deferred<never>();
  const end = () => {
    over.abort();
    reject(new Error('the reading is over'));
  };
  const timer = setTimeout(end, withinMs);
  ended.catch(() => {}); // It may come when no read waits.
  if (stop.aborted) end();
  stop.addEventListener('abort', end, { once: true });
  const { signal } = over;
  const request: SourceRequest = {
    signal,
    http: (each) => sendHttp(each, options, signal),
    readFile,
    now: options.now,
    memory: options.memory,
  };
  const hosts = new Map<string, SourceObservation>();
  const rows = kind.read(settings, request)[Symbol.asyncIterator]();
  try {
    for (let count = 0; ; count++) {
      const row = await Promise.race([rows.next(), ended]);
      if (row.done === true) return { hosts, isCut: false };
      if (count >= MAX_ROWS) return { hosts, isCut: true };
      const host = cleaned(row.value, options.now());
      if (host !== null) hosts.set(host.mac, merged(hosts.get(host.mac), host));
    }
  } catch (error) {
    if (stop.aborted) throw new SourceFailure('the reading was stopped');
    if (signal.aborted) throw new SourceFailure(`the reading took longer than ${withinMs / 1000} s`);
    if (error instanceof SourceFailure) throw error;
    // A defect, or an answer of a shape that the reader of this product does not expect. Its text may quote the answer.
    throw new SourceFailure('its answer could not be understood', { cause: error });
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', end);
    end();
    void Promise.resolve(rows.return?.()).catch(() => {}); // Not awaited: it may hang.
  }
}

/** @throws {SourceFailure} */
async function readFile(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new SourceFailure('expected an absolute path');
  try {
    return await readRegularFile(path, MAX_BYTES);
  } catch (error) {
    const faults: Record<string, string> = { ENOENT: 'it does not exist', EACCES: 'the agent may not read it' };
    const why = faults[codeOf(error)] ?? (error instanceof Error ? error.message : error);
    throw new SourceFailure(`${path}: ${why}`, { cause: error });
  }
}

/** Null for a row without the MAC of one device. */
function cleaned(row: SourceObservation, now: number): SourceObservation | null {
  const mac = macIn(row.mac);
  if (mac === null) return null;
  const addresses = row.addresses.flatMap((text) => {
    const ip = parseIp(text.split('%')[0] ?? '');
    return ip === null || namesNoHost(rangeOf(ip)) ? [] : [formatIp({ ...ip, zone: null })];
  });
  const name = (text: string | undefined) => nameIn(text, mac, addresses);
  const { lastSeen } = row;
  return {
    mac,
    addresses: [...new Set(addresses)].slice(0, MAX_ADDRESSES),
    givenName: name(row.givenName),
    hostName: name(row.hostName?.replace(/\.$/, '')),
    vendor: textIn(row.vendor),
    model: textIn(row.model),
    dhcp: row.dhcp && { vendorClass: textIn(row.dhcp.vendorClass), parameters: textIn(row.dhcp.parameters) },
    // A clock that is fast must not keep a device online.
    lastSeen: lastSeen !== undefined && lastSeen > 0 ? Math.min(Math.floor(lastSeen), now) : undefined,
    link: row.link && linkIn(row.link),
  };
}

function macIn(text: string | undefined): string | null {
  const mac = parseMac(text ?? '');
  return mac !== null && isDeviceMac(mac) ? mac : null;
}

function linkIn({ medium, ssid, accessPoint, switch: bySwitch, port }: SourceLink): SourceLink {
  return {
    medium,
    ssid: textIn(ssid),
    accessPoint: macIn(accessPoint) ?? undefined,
    switch: macIn(bySwitch) ?? undefined,
    port: textIn(port),
  };
}

function textIn(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (fitToReport(text, MAX_OBSERVATION_CHARACTERS) ?? undefined);
}

const NO_NAMES = new Set(['', '*', '-', '?', '(unknown)', 'unknown']);

/** Undefined for a placeholder, and for a text that only repeats the MAC or an address. */
function nameIn(text: string | undefined, mac: string, addresses: readonly string[]): string | undefined {
  const name = textIn(text);
  if (name === undefined || NO_NAMES.has(name.toLowerCase())) return undefined;
  const isAddress = parseMac(name) === mac || addresses.includes(name) || parseIp(name) !== null;
  return isAddress ? undefined : name;
}

/** What comes later adds to the former, and replaces what it names as well. */
function merged(former: SourceObservation | undefined, later: SourceObservation): SourceObservation {
  if (former === undefined) return later;
  const named = Object.fromEntries(Object.entries(later).filter(([, value]) => value !== undefined));
  const times = [former.lastSeen, later.lastSeen].flatMap((time) => time ?? []);
  return {
    ...former,
    ...named,
    mac: later.mac,
    addresses: [...new Set([...former.addresses, ...later.addresses])].slice(0, MAX_ADDRESSES),
    lastSeen: times.length === 0 ? undefined : Math.max(...times),
    link: later.link === undefined ? former.link : { ...former.link, ...defined(later.link) },
    dhcp: later.dhcp === undefined ? former.dhcp : { ...former.dhcp, ...defined(later.dhcp) },
  };
}

function defined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
