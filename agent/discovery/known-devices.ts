/** The devices that this agent has seen, with the state of the rule of presence for each. A file survives restarts. */
import type { Logger } from 'pino';
import { type Claims, claimOf, claimsOf, type GatewayRole, placeOf, rolesOf, seenIn } from './addresses.ts';
import type { Sign } from './broadcast.ts';
import { Conflicts, claimedDhcp } from './conflicts.ts';
import { CrowdedNetworks, isCrowded } from './crowd.ts';
import { observe, resumed } from './device-presence.ts';
import { HeardNetworks } from './heard-networks.ts';
import { type Device, type KnownState, MAX_DEVICES, readKnownState, writeKnownState } from './known-devices-file.ts';
import { KnownNetworks, type StrangeNetwork, type Surroundings } from './known-networks.ts';
import { type Missing, missingOf, unnamedOf, unseenAfter } from './missing.ts';
import { betterName, type FoundName } from './names.ts';
import { longestGone, networkOf, newDevice, traitsOf } from './new-device.ts';
import { type Heard, withHeard } from './observations.ts';
import { PendingChanges } from './pending-changes.ts';
import { isAnswered, type NetworkScan } from './scan.ts';
import { isToldAlike, isToldMore } from './sighting.ts';
import { vendorOf } from './vendor.ts';

export class KnownDevices {
  /** When this knowledge began. */
  readonly epoch: number;
  readonly #path: string;
  readonly #devices = new Map<string, Device>();
  readonly #networks: KnownNetworks;
  readonly #conflicts = new Conflicts();
  readonly #crowded = new CrowdedNetworks();
  readonly #heard = new HeardNetworks();
  readonly #pending: PendingChanges;
  #lastChange: number;
  #confirmed: number;
  #digestedAt: number | null;
  #refused = 0;
  /** The time of what was taken in last. */
  #at: number;

  private constructor(path: string, state: KnownState, now: number) {
    this.#path = path;
    this.epoch = state.epoch;
    this.#lastChange = state.lastChange;
    this.#confirmed = Math.min(state.confirmed, state.lastChange);
    this.#digestedAt = state.digestedAt;
    this.#networks = new KnownNetworks(state.networks);
    this.#pending = new PendingChanges(state.waiting);
    this.#at = now;
    for (const device of state.devices) {
      const resumedDevice = { ...device, presence: resumed(device.presence, now) };
      this.#devices.set(device.mac, resumedDevice);
      if (device.conflict !== null) this.#conflicts.resume(device.network, device.mac, device.conflict);
      // The table of vendors grows with versions of the agent.
      this.#set(resumedDevice, { vendor: vendorOf(device.mac) });
    }
  }

  /** What the file holds. Without one, or with one that cannot be read, a new epoch begins. */
  static async open(path: string, now: number, log: Pick<Logger, 'error'>): Promise<KnownDevices> {
    const nothing = { lastChange: 0, confirmed: 0, digestedAt: null, devices: [], waiting: [], networks: [] };
    return new KnownDevices(path, (await readKnownState(path, now, log)) ?? { epoch: now, ...nothing }, now);
  }

  /** @throws {Error} when the file cannot be written */
  async save(): Promise<void> {
    await writeKnownState(this.#path, {
      epoch: this.epoch,
      lastChange: this.#lastChange,
      confirmed: this.#confirmed,
      digestedAt: this.#digestedAt,
      devices: [...this.#devices.values()],
      waiting: this.#pending.all(),
      networks: this.#networks.all(),
    });
  }

  get size(): number {
    return this.#devices.size;
  }

  get lastChange(): number {
    return this.#lastChange;
  }

  get confirmed(): number {
    return this.#confirmed;
  }

  /** When everything was last told; null when it never was. */
  get digestedAt(): number | null {
    return this.#digestedAt;
  }

  get refused(): number {
    return this.#refused;
  }

  /** The networks of the last look that seem to be those of somebody else. Nothing of them is taken in. */
  get strange(): readonly StrangeNetwork[] {
    return this.#networks.strange;
  }

  isStrange(network: string): boolean {
    return this.#networks.isStrange(network);
  }

  /** Networks in which somebody answers for nearly every address: no new devices are taken there. */
  get crowded(): readonly string[] {
    return this.#crowded.all();
  }

  /** Networks in which more changes than is told. */
  get overBudget(): readonly string[] {
    return this.#pending.overBudget;
  }

  get(mac: string): Readonly<Device> | undefined {
    return this.#devices.get(mac);
  }

  all(): Readonly<Device>[] {
    return [...this.#devices.values()];
  }

  takeNumber(): number {
    return ++this.#lastChange;
  }

  /** Everything up to this change is stored: what the first looks have found has been told. */
  confirm(n: number): void {
    this.#confirmed = Math.min(Math.max(this.#confirmed, n), this.#lastChange);
    for (const device of this.#devices.values()) {
      if (device.n === 0 || device.n > this.#confirmed) continue;
      device.baseline = false;
      const { absences, ...presence } = device.presence;
      if (absences !== undefined && !this.#pending.has(device.mac)) device.presence = presence;
    }
  }

  /** @param at null: a digest is due */
  digested(at: number | null): void {
    this.#digestedAt = at;
  }

  /** Takes of which of these devices somebody wants to be alerted when they are gone. */
  setAlerts(macs: Iterable<string>, alerts: ReadonlySet<string>): void {
    for (const device of [...macs].flatMap((mac) => this.#devices.get(mac) ?? []))
      device.alerts = alerts.has(device.mac);
  }

  /** A new process has taken over: silence and misses are counted anew. Also when cycles begin again after a pause. */
  resume(at: number): void {
    for (const device of this.#devices.values()) device.presence = resumed(device.presence, at);
  }

  /**
   * Takes what a look has found.
   * @returns the networks in which the look counts: it came to its end, the network is the one that it was, and the gateway
   *   or a device that was online before has answered. In any other, who was not found may be there all the same.
   */
  recordScans(all: readonly NetworkScan[], at: number, surroundings: Surroundings = {}): Set<string> {
    this.#at = at;
    const before = this.all().filter(({ presence }) => presence.online);
    const wasOnline = new Set(before.map(({ mac }) => mac));
    const expected = () => before.map((each) => ({ mac: each.mac, network: networkOf(each, all) }));
    const scans = this.#networks.look(all, expected, surroundings);
    const valid = scans.filter((scan) => isAnswered(scan, wasOnline));
    for (const scan of scans) this.#crowded.look(scan.network.cidr, this.#isCrowded(scan));
    const gateways = new Map(scans.map((scan) => [scan.network.cidr, this.#networks.gatewaysIn(scan)]));
    const welcome = new Set(scans.map(({ network }) => network.mac));
    for (const [router, another] of gateways.values()) if (router !== undefined && !another) welcome.add(router);
    for (const [mac, claims] of claimsOf(scans, (mac) => this.#devices.get(mac)?.ip)) {
      const isCrowd = [...claims.networks].every((network) => this.#crowded.has(network)) && !welcome.has(mac);
      if (isCrowd && !this.#devices.has(mac)) continue;
      this.#recordDevice(mac, claims, rolesOf(mac, scans, gateways), at);
    }
    for (const scan of scans) {
      const { cidr } = scan.network;
      const routers = gateways.get(cidr) ?? [];
      if (routers.length > 0) this.#setGateways(cidr, routers);
      const counts = valid.includes(scan);
      if (this.#crowded.has(cidr)) this.#conflicts.forget(cidr);
      else if (counts) this.#conflicts.lookAt(scan);
      this.#networks.learn(scan, counts, at);
    }
    this.#setConflicts();
    const counted = new Set(valid.map(({ network }) => network.cidr));
    this.#heard.look([...counted].filter((network) => !this.#crowded.has(network)));
    return counted;
  }

  /**
   * Takes a sign of a device that was heard between two looks. It shows that the device is there and, of one that is new or was
   * gone, its address, unless somebody else has it; more is for looks to judge.
   * @returns whether there is something to tell
   */
  hear({ mac, ip, heard }: Omit<Sign, 'wanted'>, network: string, at: number): boolean {
    const known = this.#devices.get(mac);
    if (!this.#heard.takes(network, known !== undefined)) return false;
    this.#at = at;
    const before = known === undefined ? null : { ...known };
    if (known?.presence.online && known.ip !== null) {
      this.#set(known, { presence: observe(known.presence, 'seen', at, traitsOf(known)) });
    } else {
      const isTaken = this.all().some((each) => each.ip === ip && each.presence.online && each.mac !== mac);
      this.#recordDevice(mac, claimOf(mac, isTaken ? null : ip, network), [], at);
    }
    this.recordHeard(mac, heard, at);
    const device = this.#devices.get(mac);
    if (device === undefined || before === null) return device !== undefined;
    return before.presence.online !== device.presence.online || !isToldAlike(before, device);
  }

  /**
   * Takes which DHCP servers have answered in a network.
   * @param network in CIDR notation
   */
  recordDhcpServers(network: string, servers: readonly { ip: string; mac: string | null }[]): void {
    const macOf = (ip: string) => this.all().find(({ addresses }) => addresses.some((each) => each.ip === ip))?.mac;
    const found = claimedDhcp(servers.map(({ ip, mac }) => ({ ip, mac: mac ?? macOf(ip) })));
    this.#conflicts.look(network, ['dhcp'], found);
    this.#setConflicts();
  }

  /** The devices that are to be looked for a second time, because another miss would be the third. */
  missing(scans: readonly NetworkScan[], valid: ReadonlySet<string>): Missing[] {
    return missingOf(this.all(), scans, valid, seenIn(this.#networks.own(scans)));
  }

  /**
   * Counts the misses of a cycle.
   * @param again the devices that the second look has found, by network; networks where it did not work are missing
   * @param blindAfterMs when no cycle has counted in a network for longer than this, silence is counted anew there
   */
  countMisses(
    scans: readonly NetworkScan[],
    valid: ReadonlySet<string>,
    again: ReadonlyMap<string, ReadonlySet<string>>,
    at: number,
    blindAfterMs: number,
  ): void {
    this.#at = at;
    const seen = seenIn(this.#networks.own(scans));
    const blind = this.#networks.count(valid, at, blindAfterMs);
    const unseen = unseenAfter([...this.#devices.values()], { scans, valid, seen, again, blind }, at);
    for (const [device, presence] of unseen) this.#set(device, { presence });
  }

  /** Takes that questions to a device alone have found it, or that it is gone. */
  probed(mac: string, observation: 'seen' | 'gone', at: number): void {
    const device = this.#devices.get(mac);
    this.#at = at;
    if (device?.presence.online) this.#set(device, { presence: observe(device.presence, observation, at) });
  }

  /** Devices whose name is to be looked for: new, changed, or not asked for an hour. None of a strange network. */
  unnamed(at: number, everyMs: number): Missing[] {
    const own = this.all().filter(({ network }) => !this.isStrange(network));
    return unnamedOf(own, at, everyMs);
  }

  /** Takes what a look-up has found at an address; a name that is as good as the one before, or better, replaces it. */
  recordName(mac: string, ip: string, found: FoundName, at: number): void {
    const device = this.#devices.get(mac);
    if (device === undefined) return;
    this.#at = at;
    this.#set(device, { namedAt: at, namedIp: ip, name: betterName(device.name, found) });
  }

  /** Takes what a device has said of itself; of one that is not known nothing is taken. */
  recordHeard(mac: string, heard: readonly Heard[], at: number): void {
    const device = this.#devices.get(mac);
    if (device === undefined) return;
    this.#at = at;
    const observations = withHeard(device.observations, heard, at);
    if (observations !== device.observations) this.#set(device, { observations, observedN: null });
  }

  /** Gives each changed device the number of its change, as far as the budget goes. @returns how many have got one */
  commit(): number {
    // Nobody has to hear of a device that was gone before it could be told.
    for (const { mac, n, presence } of this.all()) if (n === 0 && !presence.online) this.#forget(mac);
    const told = this.#pending.take((mac) => this.#devices.get(mac), this.#at);
    for (const mac of told) {
      const device = this.#devices.get(mac);
      if (device === undefined) continue;
      device.n = ++this.#lastChange;
      device.observedN ??= device.n;
    }
    return told.length;
  }

  #recordDevice(mac: string, seen: Claims, roles: readonly GatewayRole[], at: number): void {
    const known = this.#devices.get(mac);
    const place = placeOf(known, seen, roles, at);
    if (known !== undefined) {
      this.#set(known, { presence: observe(known.presence, 'seen', at, traitsOf(known)), ...place });
      return;
    }
    if (!this.#makeRoom()) return;
    this.#devices.set(mac, newDevice({ mac, ...place, baseline: this.#networks.isNew(place.network) }, at));
    this.#pending.add(mac, 'new', at);
  }

  #makeRoom(): boolean {
    if (this.#devices.size < MAX_DEVICES) return true;
    const oldest = longestGone(this.#devices.values());
    if (oldest === null) {
      this.#refused++;
      return false;
    }
    this.#forget(oldest.mac);
    return true;
  }

  #isCrowded(scan: NetworkScan): boolean {
    const { cidr } = scan.network;
    const known = this.#networks.isNew(cidr) ? null : this.all().filter(({ network }) => network === cidr).length;
    return isCrowded(scan, (mac) => this.#devices.has(mac), known);
  }

  #forget(mac: string): void {
    this.#devices.delete(mac);
    this.#pending.forget(mac);
  }

  #setGateways(network: string, routers: readonly string[]): void {
    for (const device of this.#devices.values()) {
      const gateway = routers.includes(device.mac);
      if (device.network === network && device.gateway !== gateway) this.#set(device, { gateway });
    }
  }

  #setConflicts(): void {
    const conflicts = this.#conflicts.byDevice();
    for (const device of this.#devices.values()) {
      const conflict = conflicts.get(device.mac) ?? null;
      if (conflict !== null || device.conflict !== null) this.#set(device, { conflict });
    }
  }

  #set(device: Device, changes: Partial<Device>): void {
    const before = { ...device };
    Object.assign(device, changes);
    const isDetail = !isToldAlike(before, device);
    const isPresence = before.presence.online !== device.presence.online;
    if (!isDetail && !isPresence) return;
    device.changedAt = this.#at;
    if (isPresence) this.#pending.add(device.mac, 'presence', this.#at);
    if (isDetail) this.#pending.add(device.mac, 'detail', this.#at, isToldMore(before, device));
  }
}
