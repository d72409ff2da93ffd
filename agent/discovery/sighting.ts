/** The report of a device to the cloud. */
import type { Sighting } from '../../shared/agent/discovery.ts';
import type { Observation } from '../../shared/agent/observations.ts';
import type { Device } from './known-devices-file.ts';
import type { KnownObservation } from './observations.ts';
import { isRandomMac } from './vendor.ts';

/** @param confirmed the last change that the cloud has stored: observations up to it are left out. Default: none */
export function sightingOf(device: Readonly<Device>, confirmed = -1): Sighting {
  const { mac, n, ip, addresses, name, vendor, gateway, presence, changedAt, baseline, conflict } = device;
  const { observations, observedN, leased } = device;
  const { online, since, seenAt, absences = [] } = presence;
  return {
    mac,
    n,
    online,
    since,
    seenAt,
    ...(leased === true ? { unmonitored: true as const } : {}),
    ...(absences.length === 0 ? {} : { absences }),
    ip,
    ...(name === null ? {} : { name }),
    ...(vendor === null ? {} : { vendor }),
    ...(isRandomMac(mac) ? { random: true as const } : {}),
    ...(gateway ? { gateway: true as const } : {}),
    ...(addresses.length === 0 ? {} : { ips: addresses.map((each) => each.ip) }),
    changedAt,
    ...(baseline ? { baseline: true as const } : {}),
    ...(conflict === null ? {} : { conflict }),
    ...(observedN !== null && observedN <= confirmed ? {} : { observations: observations.map(withoutConfirmation) }),
  };
}

function withoutConfirmation({ source, value, at }: KnownObservation): Observation {
  return { source, value, at };
}

/** Whether the reports are equal apart from presence, whose changes have an urgency of their own. */
export function hasSameReport(a: Readonly<Device>, b: Readonly<Device>): boolean {
  return (
    a.ip === b.ip &&
    a.name?.text === b.name?.text &&
    a.name?.source === b.name?.source &&
    a.vendor === b.vendor &&
    a.gateway === b.gateway &&
    a.leased === b.leased &&
    a.observations === b.observations &&
    (a.conflict === b.conflict || JSON.stringify(a.conflict) === JSON.stringify(b.conflict)) &&
    a.addresses.length === b.addresses.length &&
    a.addresses.every(({ ip }, i) => b.addresses[i]?.ip === ip)
  );
}

/** Whether no details were lost. Additions are finite, as observations are bounded; changes to and fro are not. */
export function isAddition(before: Readonly<Device>, now: Readonly<Device>): boolean {
  const isKept = <T>(former: T | null, later: T | null) => former === null || former === later;
  const observed = new Set(now.observations.map(({ source, value }) => `${source} ${value}`));
  return (
    isKept(before.ip, now.ip) &&
    isKept(before.name?.text ?? null, now.name?.text ?? null) &&
    isKept(before.vendor, now.vendor) &&
    before.gateway === now.gateway &&
    (before.conflict === null || JSON.stringify(before.conflict) === JSON.stringify(now.conflict)) &&
    before.addresses.every(({ ip }) => now.addresses.some((each) => each.ip === ip)) &&
    before.observations.every(({ source, value }) => observed.has(`${source} ${value}`))
  );
}
