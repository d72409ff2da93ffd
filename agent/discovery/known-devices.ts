/** The devices that this agent has seen, with the state of the rule of presence for each. A file survives restarts. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import * as z from 'zod';
import {
  ChangeNumber,
  DeviceName,
  MAX_FUTURE_EPOCH_MS,
  MAX_VENDOR_CHARACTERS,
  type Sighting,
} from '../../shared/agent/discovery.ts';
import { codeOf } from '../../shared/errno.ts';
import { parseMac } from '../../shared/network.ts';
import { Millis } from '../../shared/time.ts';
import { syncDirectory, writeAtomically } from '../state/atomic-file.ts';
import type { Evidence } from './evidence.ts';
import type { Pass } from './look.ts';
import type { FoundName } from './names.ts';
import {
  firstSeen,
  isFlapping,
  needsSecondLook,
  type Observation,
  observe,
  PresenceState,
  resumed,
} from './presence.ts';
import { isRandomMac, vendorOf } from './vendor.ts';
import { isIn } from './watched-networks.ts';

/** Beyond this, a new device takes the place of the one that has been gone for longest. */
export const MAX_DEVICES = 8_192;

const Device = z.object({
  mac: z.string().refine((text) => parseMac(text) === text),
  n: ChangeNumber,
  /** The last address by which it was seen. */
  ip: z.string().nullable(),
  /** The network, in CIDR notation, in which it was seen last. Only cycles that cover it can miss the device. */
  network: z.string(),
  name: DeviceName.nullable(),
  vendor: z.string().max(MAX_VENDOR_CHARACTERS).nullable(),
  gateway: z.boolean(),
  presence: PresenceState,
  /** When its name was last looked for, and at which address. */
  namedAt: Millis.nullable(),
  namedIp: z.string().nullable(),
});
export type Device = z.infer<typeof Device>;

const StateFile = z.object({
  version: z.literal(1),
  epoch: Millis,
  lastChange: ChangeNumber,
  confirmed: ChangeNumber,
  digestedAt: Millis.nullable(),
  devices: z.array(Device).max(MAX_DEVICES),
});

/** A device that a cycle has not seen although it should have. */
export interface Missing {
  mac: string;
  ip: string;
  network: string;
}

export class KnownDevices {
  /** When this knowledge began. */
  readonly epoch: number;
  readonly #path: string;
  readonly #devices = new Map<string, Device>();
  /** Devices of which something has changed that is told, since the last `commit`. */
  readonly #changed = new Set<string>();
  #lastChange = 0;
  #confirmed = 0;
  #digestedAt: number | null = null;
  #refused = 0;
  /** When a cycle last counted in each network. */
  readonly #validAt = new Map<string, number>();

  private constructor(path: string, epoch: number) {
    this.#path = path;
    this.epoch = epoch;
  }

  /** What the file holds. Without one, or with one that cannot be read, a new epoch begins. */
  static async open(path: string, now: number, log: Pick<Logger, 'error'>): Promise<KnownDevices> {
    let file: z.infer<typeof StateFile>;
    try {
      file = StateFile.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') {
        const reason = error instanceof Error ? error.message.slice(0, 300) : String(error);
        log.error({ path, reason }, 'the known devices cannot be read; discovery begins anew');
      }
      return new KnownDevices(path, now);
    }
    if (file.epoch > now + MAX_FUTURE_EPOCH_MS) {
      log.error({ path, epoch: file.epoch }, 'the known devices are from the future; discovery begins anew');
      return new KnownDevices(path, now);
    }
    const known = new KnownDevices(path, file.epoch);
    known.#lastChange = file.lastChange;
    known.#confirmed = Math.min(file.confirmed, file.lastChange);
    known.#digestedAt = file.digestedAt;
    for (const device of file.devices) {
      const resumedDevice = { ...device, presence: resumed(device.presence, now) };
      known.#devices.set(device.mac, resumedDevice);
      // The table of vendors grows with versions of the agent.
      known.#set(resumedDevice, { vendor: vendorOf(device.mac) });
    }
    return known;
  }

  /** @throws {Error} when the file cannot be written */
  async save(): Promise<void> {
    const file: z.infer<typeof StateFile> = {
      version: 1,
      epoch: this.epoch,
      lastChange: this.#lastChange,
      confirmed: this.#confirmed,
      digestedAt: this.#digestedAt,
      devices: [...this.#devices.values()],
    };
    await writeAtomically(this.#path, JSON.stringify(file));
    // After a power cut, numbers that were told must not be given to other changes.
    await syncDirectory(dirname(this.#path));
  }

  get size(): number {
    return this.#devices.size;
  }

  /** The number of the last change. */
  get lastChange(): number {
    return this.#lastChange;
  }

  /** Everything up to this change is stored in the cloud. */
  get confirmed(): number {
    return this.#confirmed;
  }

  /** When everything was last told as a digest; null when it never was. */
  get digestedAt(): number | null {
    return this.#digestedAt;
  }

  /** Devices that there was no room for. */
  get refused(): number {
    return this.#refused;
  }

  get(mac: string): Readonly<Device> | undefined {
    return this.#devices.get(mac);
  }

  all(): Readonly<Device>[] {
    return [...this.#devices.values()];
  }

  /** The number of a message that is no change. */
  takeNumber(): number {
    return ++this.#lastChange;
  }

  confirm(n: number): void {
    this.#confirmed = Math.min(Math.max(this.#confirmed, n), this.#lastChange);
  }

  digested(at: number): void {
    this.#digestedAt = at;
  }

  /** A new process has taken over: silence and misses are counted anew. Also when cycles begin again after a pause. */
  resume(at: number): void {
    for (const device of this.#devices.values()) device.presence = resumed(device.presence, at);
  }

  /**
   * Takes what a look has found.
   * @returns the networks in which the look counts: it came to its end, and the gateway or a device that was online
   *   before has answered. In any other, who was not found may be there all the same.
   */
  sight(passes: readonly Pass[], at: number): Set<string> {
    const wasOnline = new Set(this.all().flatMap(({ mac, presence }) => (presence.online ? [mac] : [])));
    const valid = passes.filter(({ network, evidence, failure }) => {
      const answered = evidence.filter(({ mac, fresh }) => fresh && mac !== network.mac);
      return failure === null && answered.some(({ mac, ip }) => ip === network.gateway || wasOnline.has(mac));
    });
    for (const [mac, found] of claimsOf(passes)) this.#see(mac, found, at);
    for (const { network, evidence } of passes) {
      const routers = evidence.filter(({ ip, fresh }) => fresh && ip === network.gateway).map(({ mac }) => mac);
      if (routers.length > 0) this.#setGateways(network.cidr, routers);
    }
    return new Set(valid.map(({ network }) => network.cidr));
  }

  /** The devices that are to be looked for a second time, because another miss would be the third. */
  missing(passes: readonly Pass[], valid: ReadonlySet<string>): Missing[] {
    const seen = seenIn(passes);
    return this.all().flatMap((device) => {
      const { mac, ip, presence } = device;
      const network = networkOf(device, passes);
      const isMissing = valid.has(network) && !seen.has(mac) && needsSecondLook(presence);
      return isMissing && ip !== null ? [{ mac, ip, network }] : [];
    });
  }

  /**
   * Counts the misses of a cycle.
   * @param again the devices that the second look has found, by network; networks where it did not work are missing
   * @param blindAfterMs when no cycle has counted in a network for longer than this, silence is counted anew there
   */
  conclude(
    passes: readonly Pass[],
    valid: ReadonlySet<string>,
    again: ReadonlyMap<string, ReadonlySet<string>>,
    at: number,
    blindAfterMs: number,
  ): void {
    const seen = seenIn(passes);
    const blind = new Set([...valid].filter((network) => at - (this.#validAt.get(network) ?? at) > blindAfterMs));
    for (const network of valid) this.#validAt.set(network, at);
    for (const device of this.#devices.values()) {
      const { mac } = device;
      const network = networkOf(device, passes);
      const presence = blind.has(network) ? resumed(device.presence, at) : device.presence;
      if (seen.has(mac) || !presence.online) continue;
      const found = again.get(network);
      let observation: Observation = valid.has(network) ? 'missed' : 'unknown';
      if (valid.has(network) && found !== undefined && needsSecondLook(presence)) {
        observation = found.has(mac) ? 'seen' : 'absent';
      }
      this.#set(device, { presence: observe(presence, observation, at, isRandomMac(mac)) });
    }
  }

  /** Devices whose name is to be looked for: new, changed, or not asked for an hour. */
  unnamed(at: number, everyMs: number): Missing[] {
    return this.all().flatMap(({ mac, ip, network, presence, namedAt, namedIp }) => {
      const isDue = namedAt === null || namedIp !== ip || at - namedAt >= everyMs || at < namedAt;
      return ip !== null && presence.online && isDue ? [{ mac, ip, network }] : [];
    });
  }

  /** Takes what a look-up has found at an address; a name that is as good as the one before, or better, replaces it. */
  named(mac: string, ip: string, { name, dnsKnowsNone }: FoundName, at: number): void {
    const device = this.#devices.get(mac);
    if (device === undefined) return;
    const former = device.name;
    const isBetter =
      former === null ||
      (name !== null && RANK[name.source] <= RANK[former.source]) ||
      (former.source === 'dns' && dnsKnowsNone);
    this.#set(device, { namedAt: at, namedIp: ip, ...(isBetter && name !== null ? { name } : {}) });
  }

  /** Gives each changed device the number of its change. @returns how many there are */
  commit(): number {
    const changed = [...this.#changed].sort();
    for (const mac of changed) {
      const device = this.#devices.get(mac);
      if (device !== undefined) device.n = ++this.#lastChange;
    }
    this.#changed.clear();
    return changed.length;
  }

  /** How many devices are online, and how many of them come and go. */
  counts(at: number): { online: number; flapping: number } {
    const states = this.all().map(({ presence }) => presence);
    return {
      online: states.filter(({ online }) => online).length,
      flapping: states.filter((state) => isFlapping(state, at)).length,
    };
  }

  #see(mac: string, { networks, claims, isOthers }: Claims, at: number): void {
    const known = this.#devices.get(mac);
    const [first = ''] = networks;
    const network = known !== undefined && networks.has(known.network) ? known.network : first;
    const former = known?.ip ?? null;
    const ip = chooseIp(former !== null && isOthers(former) ? null : former, claims);
    if (known !== undefined) {
      const presence = observe(known.presence, 'seen', at, isRandomMac(mac));
      this.#set(known, { presence, network, ip });
      return;
    }
    if (!this.#makeRoom()) return;
    const unknown = { name: null, gateway: false, namedAt: null, namedIp: null };
    this.#devices.set(mac, { mac, n: 0, ip, network, vendor: vendorOf(mac), presence: firstSeen(at), ...unknown });
    this.#changed.add(mac);
  }

  /** Whether there is room for one more. */
  #makeRoom(): boolean {
    if (this.#devices.size < MAX_DEVICES) return true;
    let oldest: Device | null = null;
    for (const device of this.#devices.values()) {
      const isOlder = oldest === null || device.presence.seenAt < oldest.presence.seenAt;
      if (!device.presence.online && isOlder) oldest = device;
    }
    if (oldest === null) {
      this.#refused++;
      return false;
    }
    this.#devices.delete(oldest.mac);
    this.#changed.delete(oldest.mac);
    return true;
  }

  #setGateways(network: string, routers: readonly string[]): void {
    for (const device of this.#devices.values()) {
      if (device.network === network) this.#set(device, { gateway: routers.includes(device.mac) });
    }
  }

  #set(device: Device, changes: Partial<Device>): void {
    const before = { ...device };
    Object.assign(device, changes);
    if (!isToldAlike(before, device)) this.#changed.add(device.mac);
  }
}

const RANK = { dns: 0, mdns: 1, netbios: 2 } as const;

/** Whether nothing differs of which a change takes a number. */
function isToldAlike(a: Device, b: Device): boolean {
  return (
    a.presence.online === b.presence.online &&
    a.ip === b.ip &&
    a.name?.text === b.name?.text &&
    a.name?.source === b.name?.source &&
    a.vendor === b.vendor &&
    a.gateway === b.gateway
  );
}

/** What is told of a device. */
export function sightingOf({ mac, n, ip, name, vendor, gateway, presence }: Readonly<Device>): Sighting {
  const { online, since, seenAt } = presence;
  return {
    mac,
    n,
    online,
    since,
    seenAt,
    ip,
    ...(name === null ? {} : { name }),
    ...(vendor === null ? {} : { vendor }),
    ...(isRandomMac(mac) ? { random: true as const } : {}),
    ...(gateway ? { gateway: true as const } : {}),
  };
}

/** That a device has an address, as a look has it. */
interface Claim extends Evidence {
  network: string;
}

interface Claims {
  /** Where it was seen. */
  networks: Set<string>;
  /** Its addresses. */
  claims: Claim[];
  /** Whether another device has just answered for an address, and this one has not. */
  isOthers(ip: string): boolean;
}

function seenIn(passes: readonly Pass[]): Set<string> {
  return new Set(passes.flatMap(({ evidence }) => evidence.map(({ mac }) => mac)));
}

/**
 * The addresses at which each device was seen. Where a device has just answered for an address, what the kernel remembers
 * of another one there no longer holds.
 */
function claimsOf(passes: readonly Pass[]): Map<string, Claims> {
  const claims = passes.flatMap(({ network, evidence }) =>
    evidence.map((each): Claim => ({ ...each, network: network.cidr })),
  );
  const answered = new Map<string, Set<string>>();
  for (const { ip, mac, fresh } of claims) {
    if (fresh) answered.set(ip, (answered.get(ip) ?? new Set()).add(mac));
  }
  const byDevice = new Map<string, Claims>();
  for (const claim of claims) {
    const isOthers = (ip: string) => answered.has(ip) && answered.get(ip)?.has(claim.mac) === false;
    const of = byDevice.get(claim.mac) ?? { networks: new Set(), claims: [], isOthers };
    byDevice.set(claim.mac, of);
    // It is a sign of the device all the same, if not of its address.
    of.networks.add(claim.network);
    if (!isOthers(claim.ip)) of.claims.push(claim);
  }
  return byDevice;
}

/**
 * The address that stands for a device: the one before as long as the device is seen there, else one that has just
 * answered, IPv4 before IPv6. A device that was seen by IPv6 alone keeps its IPv4 address: one lost packet must not
 * change it.
 */
function chooseIp(former: string | null, claims: readonly Claim[]): string | null {
  const ips = (choose: (claim: Claim) => boolean) =>
    claims
      .filter(choose)
      .map(({ ip }) => ip)
      .sort();
  const isIpv4 = ({ ip }: Claim) => !ip.includes(':');
  const answered = ips((claim) => isIpv4(claim) && claim.fresh);
  const ipv4 = answered.length > 0 ? answered : ips(isIpv4);
  if (ipv4.length > 0) return former !== null && ipv4.includes(former) ? former : (ipv4[0] ?? null);
  if (former !== null && !former.includes(':')) return former;
  const routable = ips((claim) => !isLinkLocal(claim.ip));
  // Nor must a lost packet, or an interface that has lost its address, change an address to a link-local one.
  if (routable.length === 0 && former !== null && !isLinkLocal(former)) return former;
  const ipv6 = routable.length > 0 ? routable : ips(() => true);
  return former !== null && ipv6.includes(former) ? former : (ipv6[0] ?? former);
}

function isLinkLocal(ip: string): boolean {
  return /^fe[89ab]/.test(ip);
}

/** The network of these passes that a device belongs to by its address; else the one in which it was seen last. */
function networkOf({ ip, network }: Pick<Device, 'ip' | 'network'>, passes: readonly Pass[]): string {
  const pass = passes.find((each) => ip !== null && !ip.includes(':') && isIn(ip, each.network.range));
  return pass?.network.cidr ?? network;
}
