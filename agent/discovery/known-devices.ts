/** The devices that this agent has seen, each with its presence. A file makes them survive restarts. */
import type { Logger } from 'pino';
import type { ObservationSource } from '../../shared/agent/observations.ts';
import { type Claims, claimOf, claimsOf, type GatewayRole, placeOf, rolesOf, seenIn } from './addresses.ts';
import type { Sign } from './broadcast.ts';
import { Conflicts, claimedDhcp } from './conflicts.ts';
import { observe, resumed } from './device-presence.ts';
import { type Device, type KnownState, MAX_DEVICES, readKnownState, writeKnownState } from './known-devices-file.ts';
import { type ForeignNetwork, KnownNetworks, type Surroundings } from './known-networks.ts';
import { type Missing, missingOf, unnamedOf, unseenAfter } from './missing.ts';
import { betterName, type FoundName } from './names.ts';
import { longestGone, networkOf, newDevice, traitsOf } from './new-device.ts';
import { type Heard, withHeard } from './observations.ts';
import { PendingChanges } from './pending-changes.ts';
import { hasProxyArp, PassiveNetworks, ProxyArpNetworks } from './proxy-arp.ts';
import { isAnswered, type NetworkScan } from './scan.ts';
import { hasSameReport, isAddition } from './sighting.ts';
import { vendorOf } from './vendor.ts';
import { BY_SCANS, type Testimony, witnessed } from './witness.ts';

export class KnownDevices {
  /** When these devices began to be recorded. */
  readonly epoch: number;
  /** When the last digest was confirmed; null when one is due. */
  digestedAt: number | null;
  /** New devices refused because the limit is reached and all known ones are online. */
  refused = 0;
  readonly #path: string;
  readonly #devices = new Map<string, Device>();
  readonly #networks: KnownNetworks;
  readonly #conflicts = new Conflicts();
  readonly #proxyArp = new ProxyArpNetworks();
  readonly #passive = new PassiveNetworks();
  readonly #pending: PendingChanges;
  #lastChange: number;
  #confirmed: number;
  /** The time of the last input. */
  #at: number;

  private constructor(path: string, state: KnownState, now: number) {
    this.#path = path;
    this.epoch = state.epoch;
    this.#lastChange = state.lastChange;
    this.#confirmed = Math.min(state.confirmed, state.lastChange);
    this.digestedAt = state.digestedAt;
    this.#networks = new KnownNetworks(state.networks);
    this.#pending = new PendingChanges(state.waiting);
    this.#at = now;
    for (const device of state.devices) {
      const resumedDevice = { ...device, presence: resumed(device.presence, now) };
      this.#devices.set(device.mac, resumedDevice);
      if (device.conflict !== null) this.#conflicts.resume(device.network, device.mac, device.conflict);
      // New versions of the agent know more vendors.
      this.#set(resumedDevice, { vendor: vendorOf(device.mac) });
    }
  }

  /** Reads the file. Without a readable one, a new epoch begins. */
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
      digestedAt: this.digestedAt,
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

  /** The foreign networks of the last scan. Nothing in them is recorded. */
  get foreign(): readonly ForeignNetwork[] {
    return this.#networks.foreign;
  }

  isForeign(network: string): boolean {
    return this.#networks.isForeign(network);
  }

  /** Networks with proxy ARP: no new devices are recorded there. */
  get proxyArpNetworks(): readonly string[] {
    return this.#proxyArp.all();
  }

  /** Networks with more changes than the agent reports. */
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

  /** The cloud has stored the changes up to this one: baseline and absences are reported. */
  confirm(n: number): void {
    this.#confirmed = Math.min(Math.max(this.#confirmed, n), this.#lastChange);
    for (const device of this.#devices.values()) {
      if (device.n === 0 || device.n > this.#confirmed) continue;
      device.baseline = false;
      const { absences, ...presence } = device.presence;
      if (absences !== undefined && !this.#pending.has(device.mac)) device.presence = presence;
    }
  }

  /** Sets which of these devices alert when gone. */
  setAlerts(macs: Iterable<string>, alerts: ReadonlySet<string>): void {
    for (const mac of macs) {
      const device = this.#devices.get(mac);
      if (device !== undefined) device.alerts = alerts.has(mac);
    }
  }

  /** Silence and misses count from now on: after a restart, or a pause of the cycles. */
  resume(at: number): void {
    for (const device of this.#devices.values()) device.presence = resumed(device.presence, at);
  }

  /**
   * Records the evidence of a scan.
   * @returns the valid networks: their scan completed, they are our own, and the gateway or a device that was online before
   *   responded. In others, devices that were not found may be online all the same.
   */
  recordScans(all: readonly NetworkScan[], at: number, surroundings: Surroundings = {}): Set<string> {
    this.#at = at;
    const before = this.all().filter(({ presence, source }) => presence.online && source === undefined);
    const wasOnline = new Set(before.map(({ mac }) => mac));
    const expected = () => before.map((each) => ({ mac: each.mac, network: networkOf(each, all) }));
    const scans = this.#networks.classify(all, expected, surroundings);
    const valid = scans.filter((scan) => isAnswered(scan, wasOnline));
    for (const scan of scans) {
      const { cidr } = scan.network;
      const known = this.#networks.isNew(cidr) ? null : this.all().filter(({ network }) => network === cidr).length;
      this.#proxyArp.record(
        cidr,
        hasProxyArp(scan, (mac) => this.#devices.has(mac), known),
      );
    }
    const gateways = new Map(scans.map((scan) => [scan.network.cidr, this.#networks.gatewaysIn(scan)]));
    const trusted = new Set(scans.map(({ network }) => network.mac));
    for (const [router, another] of gateways.values()) if (router !== undefined && !another) trusted.add(router);
    for (const [mac, claims] of claimsOf(scans, (mac) => this.#devices.get(mac)?.ip)) {
      const isForged = [...claims.networks].every((network) => this.#proxyArp.has(network)) && !trusted.has(mac);
      if (isForged && !this.#devices.has(mac)) continue;
      this.#recordDevice(mac, claims, rolesOf(mac, scans, gateways), at);
    }
    for (const scan of scans) {
      const { cidr } = scan.network;
      const routers = gateways.get(cidr) ?? [];
      if (routers.length > 0) this.#setGateways(cidr, routers);
      const counts = valid.includes(scan);
      if (this.#proxyArp.has(cidr)) this.#conflicts.forget(cidr);
      else if (counts) this.#conflicts.recordScan(scan);
      this.#networks.learn(scan, counts, at);
    }
    this.#setConflicts();
    const counted = new Set(valid.map(({ network }) => network.cidr));
    this.#passive.scanned([...counted].filter((network) => !this.#proxyArp.has(network)));
    return counted;
  }

  /**
   * Records a sign of a device received between two scans. It shows that the device is online and, of a new or returning one,
   * its address, unless another device has it; scans determine the rest.
   * @returns whether there is a change to report
   */
  recordSign({ mac, ip, heard }: Omit<Sign, 'wanted'>, network: string, at: number): boolean {
    const known = this.#devices.get(mac);
    if (!this.#passive.accepts(network, known !== undefined)) return false;
    this.#at = at;
    const before = known === undefined ? null : { ...known };
    if (known?.presence.online && known.ip !== null && known.source === undefined) {
      this.#set(known, { presence: observe(known.presence, 'seen', at, traitsOf(known)) });
    } else {
      const isTaken = this.all().some((each) => each.ip === ip && each.presence.online && each.mac !== mac);
      this.#recordDevice(mac, claimOf(mac, isTaken ? null : ip, network), [], at);
    }
    this.recordObservations(mac, heard, at);
    const device = this.#devices.get(mac);
    if (device === undefined || before === null) return device !== undefined;
    return before.presence.online !== device.presence.online || !hasSameReport(before, device);
  }

  /** Records the DHCP servers that responded in a network in CIDR notation. */
  recordDhcpServers(network: string, servers: readonly { ip: string; mac: string | null }[]): void {
    const macOf = (ip: string) => this.all().find(({ addresses }) => addresses.some((each) => each.ip === ip))?.mac;
    const found = claimedDhcp(servers.map(({ ip, mac }) => ({ ip, mac: mac ?? macOf(ip) })));
    this.#conflicts.record(network, ['dhcp'], found);
    this.#setConflicts();
  }

  /** The devices to rescan for, because another miss would be the third. */
  missing(scans: readonly NetworkScan[], valid: ReadonlySet<string>): Missing[] {
    return missingOf(this.all(), scans, valid, seenIn(this.#networks.own(scans)));
  }

  /**
   * Counts the misses of a cycle.
   * @param again the devices that the rescan found, by network, without networks where it did not work
   * @param blindAfterMs in a network without a valid cycle for longer, silence counts from now on
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

  /** Records the result of probing a device. */
  probed(mac: string, observation: 'seen' | 'gone', at: number): void {
    const device = this.#devices.get(mac);
    this.#at = at;
    if (device?.presence.online) this.#set(device, { presence: observe(device.presence, observation, at) });
  }

  /** Devices whose name lookup is due, none in a foreign network. */
  unnamed(at: number, everyMs: number): Missing[] {
    const own = this.all().filter(({ network }) => !this.isForeign(network));
    return unnamedOf(own, at, everyMs);
  }

  /** Records the result of a name lookup at an address; a name from a source as good or better replaces the former. */
  recordName(mac: string, ip: string, found: FoundName, at: number): void {
    const device = this.#devices.get(mac);
    if (device === undefined) return;
    this.#at = at;
    this.#set(device, { namedAt: at, namedIp: ip, name: betterName(device.name, found) });
  }

  /** Records a reading of a source: presence and addresses where scans do not decide. */
  recordReading(testimony: Testimony, at: number): void {
    this.#at = at;
    const { changed, added, forgotten } = witnessed(this.#devices, testimony, at);
    for (const mac of forgotten) this.#forget(mac);
    for (const { device, changes } of changed) this.#set(device, changes);
    for (const device of added) this.#add(device);
  }

  /** Records announcements of a device; ignores those of unknown ones. Of `complete` sources, others are removed. */
  recordObservations(
    mac: string,
    heard: readonly Heard[],
    at: number,
    complete?: ReadonlySet<ObservationSource>,
  ): void {
    const device = this.#devices.get(mac);
    if (device === undefined) return;
    this.#at = at;
    const observations = withHeard(device.observations, heard, at, complete);
    if (observations !== device.observations) this.#set(device, { observations, observedN: null });
  }

  /** Numbers the changes that the budget allows to report. @returns how many */
  commit(): number {
    // A device that was gone before its first report needs none.
    for (const { mac, n, presence, leased } of this.all())
      if (n === 0 && !presence.online && !leased) this.#forget(mac);
    const reported = this.#pending.take((mac) => this.#devices.get(mac), this.#at);
    for (const mac of reported) {
      const device = this.#devices.get(mac);
      if (device === undefined) continue;
      device.n = ++this.#lastChange;
      device.observedN ??= device.n;
    }
    return reported.length;
  }

  #recordDevice(mac: string, seen: Claims, roles: readonly GatewayRole[], at: number): void {
    const known = this.#devices.get(mac);
    const place = placeOf(known, seen, roles, at);
    if (known !== undefined) {
      this.#set(known, { presence: observe(known.presence, 'seen', at, traitsOf(known)), ...place, ...BY_SCANS });
      return;
    }
    this.#add(newDevice({ mac, ...place, baseline: this.#networks.isNew(place.network) }, at));
  }

  #add(device: Device): void {
    if (this.#devices.size >= MAX_DEVICES) {
      const oldest = longestGone(this.#devices.values());
      if (oldest === null) return void this.refused++;
      this.#forget(oldest.mac);
    }
    this.#devices.set(device.mac, device);
    this.#pending.add(device.mac, 'new', this.#at);
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
    const isDetail = !hasSameReport(before, device);
    const isPresence = before.presence.online !== device.presence.online;
    if (!isDetail && !isPresence) return;
    device.changedAt = this.#at;
    if (isPresence) this.#pending.add(device.mac, 'presence', this.#at);
    if (isDetail) this.#pending.add(device.mac, 'detail', this.#at, isAddition(before, device));
  }
}
