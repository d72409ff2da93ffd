/**
 * An agent that watches a LAN which the test makes up, by a clock that the test holds. Its knowledge, its rule of presence
 * and its reports are the real ones, and its messages go through the real ingest into the real collection. Made up are the
 * hosts, the time, and the broker between the two.
 */
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import type { Evidence } from '../../agent/discovery/evidence.ts';
import { KnownDevices } from '../../agent/discovery/known-devices.ts';
import { Reporter } from '../../agent/discovery/report.ts';
import type { NetworkScan } from '../../agent/discovery/scan.ts';
import type { Stores } from '../../functions/stores.ts';
import { PROTOCOL_VERSION, Sightings } from '../../shared/agent/messages.ts';
import type { AgentId, SiteId } from '../../shared/identity.ts';
import { range } from '../../shared/network.ts';
import { openIngest } from './background-work.ts';
import { storeAgent } from './stored-site.ts';
import { makeTestFolder } from './test-folder.ts';

export const CYCLE_MS = 60_000;
const NAMES_EVERY_MS = 60 * 60_000;
const BLIND_AFTER_MS = 4 * CYCLE_MS;

const NETWORK: NetworkScan['network'] = {
  interface: 'eth0',
  mac: '00:1E:06:FF:00:01',
  address: '10.0.0.1',
  ipv6: null,
  gateway: '10.0.0.254',
  range: range('10.0.0.0/20'),
  cidr: '10.0.0.0/20',
};
export const GATEWAY = { mac: '00:0D:B9:FF:00:FE', ip: '10.0.0.254' } as const;

export const ipOf = (i: number) => `10.0.${i >> 8}.${i & 255}`;

export interface Host {
  ip: string;
  /** What it is called in DNS. */
  name?: string;
}

export interface WatchingAgent extends AsyncDisposable {
  id: AgentId;
  /** Hosts that answer at present, by MAC. The gateway is among them from the start. */
  hosts: Map<string, Host>;
  /** Every message that was sent, as the broker got it. */
  sent: Sightings[];
  /** How often the file of known devices was written. */
  readonly saves: number;
  /** The number of the agent's last change. */
  readonly lastChange: number;
  /** A minute passes, and a look is taken; fulfilled when all that follows from it is stored and confirmed. */
  cycle(): Promise<void>;
  /** The connection is lost, and there again. */
  disconnect(): void;
  connect(): void;
}

/** Puts ingest and an agent of this name to a site that exists, and switches discovery on. Its time begins a day ago, and passes with each cycle. */
export async function startWatchingAgent(stores: Stores, site: SiteId, name = 'main'): Promise<WatchingAgent> {
  const id = await storeAgent(stores, site, name);
  await stores.sites.recordPresence(id, { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: Date.now() });

  await stores.sites.change(site, ({ name, discovery }) => ({ name, discovery: { ...discovery, enabled: true } }));

  const folder = makeTestFolder();
  const log = pino({ level: 'silent' });
  const hosts = new Map<string, Host>([[GATEWAY.mac, { ip: GATEWAY.ip }]]);
  const sent: Sightings[] = [];
  const failures: unknown[] = [];
  const underWay = new Set<Promise<unknown>>();
  let at = Date.now() - 86_400_000;
  let saves = 0;

  const during = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const over = () => void underWay.delete(work);
    work.then(over, over);
    return work;
  };
  const control: Parameters<typeof openIngest>[0]['agents'] = {
    confirmStored: async () => {},
    control: async (_, message) => {
      if (message.t === 'sighted') reporter.stored(message);
    },
  };
  const warnings = { info() {}, warn: (fields: object) => failures.push(fields), error() {} };
  const ingest = openIngest({ ...stores, registry: {} as never, agents: control, now: () => new Date() }, warnings);

  /** One after the other, as the watcher does it. */
  let saving: Promise<unknown> = Promise.resolve();
  function save(): Promise<void> {
    saves++;
    const mine = saving.then(() => known.save());
    saving = mine;
    return mine;
  }
  const known = await KnownDevices.open(join(folder.path, 'known-devices.json'), at, log);
  const reporter = new Reporter({
    known,
    now: () => at,
    publish: (payload) => {
      sent.push(Sightings.parse(JSON.parse(payload.toString())));
      return during(
        ingest.sightings(id, payload).catch((error: unknown) => {
          failures.push(error);
        }),
      );
    },
    keep: () => during(save().then(() => true)),
    log,
  });
  reporter.connected();

  async function tell(): Promise<void> {
    reporter.changed();
    do {
      await Promise.all(underWay);
      await turn();
    } while (underWay.size > 0);
    if (failures.length > 0) throw new Error('sightings were refused or not stored', { cause: failures });
  }

  async function cycle(): Promise<void> {
    at += CYCLE_MS;
    const evidence = [...hosts].map(([mac, { ip }]): Evidence => ({ mac, ip, fresh: true }));
    const scans: NetworkScan[] = [{ network: NETWORK, evidence, method: 'arp-scan', startedAt: 0, failure: null }];
    const valid = known.recordScans(scans, at);
    for (const { mac, ip } of known.unnamed(at, NAMES_EVERY_MS)) {
      const text = hosts.get(mac)?.name;
      known.recordName(
        mac,
        ip,
        { name: text === undefined ? null : { text, source: 'dns' }, dnsKnowsNone: text === undefined },
        at,
      );
    }
    if (known.commit() > 0) {
      await save();
      await tell();
    }
    // The second look: who does not answer the first does not answer this one either.
    const again = new Map([[NETWORK.cidr, new Set<string>()]]);
    known.countMisses(scans, valid, again, at, BLIND_AFTER_MS);
    if (known.commit() > 0) await save();
    await tell();
  }

  return {
    id,
    hosts,
    sent,
    get saves() {
      return saves;
    },
    get lastChange() {
      return known.lastChange;
    },
    cycle,
    disconnect: () => reporter.disconnected(),
    connect: () => reporter.connected(),
    async [Symbol.asyncDispose]() {
      reporter.stop();
      await folder.remove();
    },
  };
}
