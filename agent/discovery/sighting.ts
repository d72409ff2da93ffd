/** What is told of a device that the agent knows. */
import type { Sighting } from '../../shared/agent/discovery.ts';
import type { Observation } from '../../shared/agent/observations.ts';
import type { Device } from './known-devices-file.ts';
import type { KnownObservation } from './observations.ts';
import { isRandomMac } from './vendor.ts';

/** @param confirmed everything up to this change is stored: what was told by then is not told again. Default: nothing is */
export function sightingOf(device: Readonly<Device>, confirmed = -1): Sighting {
  const { mac, n, ip, addresses, name, vendor, gateway, presence, changedAt, baseline, conflict } = device;
  const { observations, observedN } = device;
  const { online, since, seenAt, absences = [] } = presence;
  return {
    mac,
    n,
    online,
    since,
    seenAt,
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
    ...(observedN !== null && observedN <= confirmed ? {} : { observations: observations.map(toldOf) }),
  };
}

function toldOf({ source, value, at }: KnownObservation): Observation {
  return { source, value, at };
}

/** Whether nothing differs of what is told, apart from presence, whose changes are told first. */
export function isToldAlike(a: Readonly<Device>, b: Readonly<Device>): boolean {
  return (
    a.ip === b.ip &&
    a.name?.text === b.name?.text &&
    a.name?.source === b.name?.source &&
    a.vendor === b.vendor &&
    a.gateway === b.gateway &&
    a.observations === b.observations &&
    (a.conflict === b.conflict || JSON.stringify(a.conflict) === JSON.stringify(b.conflict)) &&
    a.addresses.length === b.addresses.length &&
    a.addresses.every(({ ip }, i) => b.addresses[i]?.ip === ip)
  );
}

/**
 * Whether the device has only said more, and has replaced nothing. Additions end, because the agent keeps a bounded number of
 * observations of a device; changes back and forth do not.
 */
export function isToldMore(before: Readonly<Device>, now: Readonly<Device>): boolean {
  const isKept = <T>(former: T | null, later: T | null) => former === null || former === later;
  const said = new Set(now.observations.map(({ source, value }) => `${source} ${value}`));
  return (
    isKept(before.ip, now.ip) &&
    isKept(before.name?.text ?? null, now.name?.text ?? null) &&
    isKept(before.vendor, now.vendor) &&
    before.gateway === now.gateway &&
    (before.conflict === null || JSON.stringify(before.conflict) === JSON.stringify(now.conflict)) &&
    before.addresses.every(({ ip }) => now.addresses.some((each) => each.ip === ip)) &&
    before.observations.every(({ source, value }) => said.has(`${source} ${value}`))
  );
}
