/** One cycle of discovery: look, find names, look again for those who are missing, and apply the rule of presence. */

import type { Looking } from './evidence.ts';
import type { KnownDevices, Missing } from './known-devices.ts';
import { lookAgain, lookAround, type Method, type Pass } from './look.ts';
import { findNames } from './names.ts';
import { isIn, type WatchedNetwork } from './watched-networks.ts';

export interface CycleOptions extends Looking {
  networks: readonly WatchedNetwork[];
  rawSockets: boolean;
  now(): number;
  /** From the start of one cycle to the start of the next. */
  intervalMs: number;
  /** Called as soon as there is something to tell: after the look, and at the end. */
  onChanges(): Promise<void>;
}

export interface CycleReport {
  /** The ways in which the networks were asked. */
  methods: Set<Method>;
  /** What went wrong, by network. */
  failures: { network: string; failure: string }[];
  /** How many devices were seen in each network. */
  seen: { network: string; devices: number }[];
  /** Networks in which who was not seen was counted as missed. */
  valid: Set<string>;
}

/** A name is looked for again when an hour has passed. */
const NAMES_EVERY_MS = 60 * 60_000;
/** A cycle hardly takes longer than this. */
const CYCLE_WITHIN_MS = 60_000;
/** Of a cycle. Who has not had its turn by then is asked in the next one. */
const NAMES_WITHIN_MS = 20_000;

export async function runCycle(known: KnownDevices, options: CycleOptions): Promise<CycleReport> {
  const { networks, rawSockets, signal, now, onChanges } = options;
  const passes = await lookAround(options, networks, rawSockets);
  const valid = known.sight(passes, now());
  if (!signal.aborted) {
    await nameDevices(known, networks, signal, now);
    if (known.commit() > 0) await onChanges();
    const again = await lookForMissing(known.missing(passes, valid), passes, options);
    // A cycle that was cut short has missed nobody.
    const blindAfterMs = 3 * options.intervalMs + CYCLE_WITHIN_MS;
    if (!signal.aborted) known.conclude(passes, valid, again, now(), blindAfterMs);
  }
  if (known.commit() > 0) await onChanges();
  return {
    valid,
    seen: passes.map(({ network, evidence }) => ({
      network: network.cidr,
      devices: new Set(evidence.map(({ mac }) => mac)).size,
    })),
    methods: new Set(passes.flatMap(({ method }) => method ?? [])),
    failures: passes.flatMap(({ network, failure }) => (failure === null ? [] : [{ network: network.cidr, failure }])),
  };
}

async function nameDevices(
  known: KnownDevices,
  networks: readonly WatchedNetwork[],
  signal: AbortSignal,
  now: () => number,
): Promise<void> {
  const isWatched = (ip: string) => ip.includes(':') || networks.some(({ range }) => isIn(ip, range));
  const due = known.unnamed(now(), NAMES_EVERY_MS).filter(({ ip }) => isWatched(ip));
  if (due.length === 0) return;
  const byIp = new Map<string, string[]>();
  for (const { ip, mac } of due) byIp.set(ip, [...(byIp.get(ip) ?? []), mac]);
  const within = new AbortController();
  const stop = () => within.abort();
  const timer = setTimeout(stop, NAMES_WITHIN_MS);
  timer.unref();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await findNames([...byIp.keys()], within.signal, (ip, found) => {
      for (const mac of byIp.get(ip) ?? []) known.named(mac, ip, found, now());
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** @returns who was found, by network; networks in which the second look did not work are missing */
async function lookForMissing(
  missing: readonly Missing[],
  passes: readonly Pass[],
  options: CycleOptions,
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  for (const { network, evidence, startedAt } of passes) {
    const addresses = missing.filter((each) => each.network === network.cidr).map(({ ip }) => ip);
    const witness = witnessIn(network, evidence);
    if (addresses.length === 0 || witness === null || options.signal.aborted) continue;
    const seen = await lookAgain(options, network, [...new Set(addresses)], witness, options.rawSockets, startedAt);
    if (seen !== null) found.set(network.cidr, new Set(seen.map(({ mac }) => mac)));
  }
  return found;
}

/** Where somebody has just answered: the gateway, or anybody. */
function witnessIn({ gateway, mac }: WatchedNetwork, evidence: Pass['evidence']): string | null {
  const answered = evidence.filter((each) => each.fresh && each.mac !== mac && !each.ip.includes(':'));
  return (answered.find(({ ip }) => ip === gateway) ?? answered[0])?.ip ?? null;
}
