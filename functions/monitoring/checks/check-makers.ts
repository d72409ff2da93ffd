/** Which agents run a check at the moment, and with which probe: that depends on connected agents, and on addresses. */
import type { PlannedCheck, Probe } from '../../../shared/agent/plan.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { canonicalAddress, parseIp, rangeOf } from '../../../shared/network.ts';
import { longestPrefix } from '../../commands/choose-agent.ts';
import type { Stores } from '../../stores.ts';
import type { CheckSettings, StoredCheck } from './check-store.ts';

export interface MadeCheck {
  check: StoredCheck;
  /** Null while there is no target: a device without an address, a site that cannot be reached. */
  probe: Probe | null;
  /** The names of the connected agents that run it. */
  makers: readonly string[];
}

export interface Addresses {
  /** Null when the device does not exist, or has no address. */
  ofDevice(key: string): string | null;
  /** Where another site can be reached; null when that is not set. */
  ofSite(site: SiteId): string | null;
}

/** Public hosts of two operators that reply to everyone. */
const ANCHORS = ['1.1.1.1', '9.9.9.9'];
/** That many agents run a check, if there are as many, and have to agree that it is down. */
const AUTO_AGENTS = 2;

/** The enabled, readable checks, for connected agents. Also reads the collection's version for devices, and checked sites. */
export async function readMadeChecks(
  { checks, devices, sites }: Pick<Stores, 'checks' | 'devices' | 'sites'>,
  site: SiteId,
  agents: readonly Agent[],
): Promise<MadeCheck[]> {
  const enabled = (await checks.list(site)).checks.filter((check) => check.enabled);
  return madeChecks(enabled, agents, await readAddresses({ devices, sites }, site, enabled));
}

export async function planChecks(
  stores: Pick<Stores, 'checks' | 'devices' | 'sites'>,
  site: SiteId,
  agents: readonly Agent[],
): Promise<(agent: string) => PlannedCheck[]> {
  const made = await readMadeChecks(stores, site, agents);
  return (agent) =>
    made.flatMap(({ check: { id, everySeconds }, probe, makers }) =>
      probe !== null && makers.includes(agent) ? [{ id, everySeconds, probe }] : [],
    );
}

export async function readAddresses(
  { devices, sites }: Pick<Stores, 'devices' | 'sites'>,
  site: SiteId,
  checks: readonly CheckSettings[],
): Promise<Addresses> {
  const snapshot = checks.some(({ device }) => device !== undefined) ? await devices.snapshot(site) : null;
  const others = [...new Set(checks.flatMap(({ toSite }) => toSite ?? []))];
  const found = new Map(await Promise.all(others.map(async (id) => [id, await sites.find(id)] as const)));
  return {
    ofDevice: (key) => canonicalAddress(snapshot?.deviceOf(key)?.record.devLastIP ?? null),
    ofSite: (id) => found.get(id)?.reachableAt ?? null,
  };
}

export function madeChecks(
  checks: readonly StoredCheck[],
  agents: readonly Agent[],
  addresses: Addresses,
): MadeCheck[] {
  return checks.map((check) => {
    const probe = probeOf(check, addresses);
    return { check, probe, makers: makersOf(check, agents, probe === null ? null : hostOf(probe)) };
  });
}

function probeOf(check: CheckSettings, { ofDevice, ofSite }: Addresses): Probe | null {
  const { kind, device, port, url, text, name, expect, server, toSite } = check;
  const host = device === undefined ? (check.host ?? null) : ofDevice(device);
  switch (kind) {
    case 'ping':
      return host === null ? null : { kind, host };
    case 'tcp':
      return host === null || port === undefined ? null : { kind, host, port };
    case 'http':
      if (url === undefined) return null;
      return { kind, url, status: check.status ?? '200-399', ...(text === undefined ? {} : { text }) };
    case 'dns': {
      if (name === undefined) return null;
      const beside = { ...(server === undefined ? {} : { server }), ...(expect === undefined ? {} : { expect }) };
      return { kind, name, record: check.record ?? 'A', ...beside };
    }
    case 'internet':
      return { kind, anchors: check.anchors ?? ANCHORS };
    case 'site': {
      const reachableAt = toSite === undefined ? null : ofSite(toSite);
      return toSite === undefined || reachableAt === null ? null : { kind, host: reachableAt, site: toSite };
    }
  }
}

function hostOf(probe: Probe): string | null {
  if ('host' in probe) return probe.host;
  return probe.kind === 'http' ? new URL(probe.url).hostname.replace(/^\[|\]$/g, '') : null;
}

function makersOf({ agents: wanted }: CheckSettings, connected: readonly Agent[], host: string | null): string[] {
  const names = connected.map(({ id }) => nameOfAgent(id)).sort();
  if (wanted === 'all') return names;
  if (wanted !== 'auto') return names.filter((name) => wanted.includes(name));
  const address = host === null ? null : parseIp(host);
  const target = address === null ? null : rangeOf({ ...address, zone: null });
  const near = connected
    .filter(({ networks }) => longestPrefix(networks, target) >= 0)
    .map(({ id }) => nameOfAgent(id));
  const first = names.filter((name) => near.includes(name));
  return [...first, ...names.filter((name) => !near.includes(name))].slice(0, AUTO_AGENTS);
}
