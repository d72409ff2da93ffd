/** How a device calls itself, and which of its names is worth showing. */
import type { Observation, ObservationSource } from '../agent/observations.ts';

/** Names that a name server or a host gives, best first: they are known under them. */
const HOST_NAMES: readonly ObservationSource[] = ['dns', 'mdns', 'netbios'];
/** Names by which people know it, best first. */
const FRIENDLY: readonly ObservationSource[] = ['upnp-name', 'snmp-name', 'lldp-name', 'dhcp-name'];

/** TXT keys and services whose instance is the name that a person gave the device. */
const FRIENDLY_KEYS = /^_googlecast\S* fn=(.+)/i;
const NAMED_SERVICES =
  /^_(?:airplay|googlecast|ipps?|printer|pdl-datastream|hap|hue|sonos|smb|afpovertcp|device-info|companion-link|homekit|workstation)\._(?:tcp|udp) (.+)/i;

/**
 * Names that no person has chosen: an address, a MAC or another number with a word before it. A host whose name server only
 * knows such a one is shown by a better name if it has one.
 */
const MACHINE_MADE = [
  /^(?:(?:dhcp|ip|host|client|pc|device|dyn|unknown|ipv4|pool|net)[-_.]?)?\d{1,3}[-_.]\d{1,3}[-_.]\d{1,3}[-_.]\d{1,3}(?:\.|$)/i,
  /^(?:dhcp|ip|host|client|device|dyn|unknown|pc)[-_.]?\d*(?:\.|$)/i,
  /^(?:[a-z]{2,10}[-_])?(?:[0-9a-f]{2}[-_:]){5}[0-9a-f]{2}(?:\.|$)/i,
  /^(?:android|unknown|device|amazon|esp)?[-_]?[0-9a-f]{12,32}(?:\.|$)/i,
  /^android-[0-9a-f]{8,16}(?:\.|$)/i,
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:\.|$)/i,
  /^(?:localhost|none|null|unnamed|espressif|iphone|ipad|android|linux|lwip0?)(?:\.|$)/i,
];

/** Whether no person, and no maker for people, has chosen this name. */
export function isMachineMade(name: string): boolean {
  return MACHINE_MADE.some((pattern) => pattern.test(name));
}

/** The names of a device, the one to show first. */
export function namesOf(observations: readonly Observation[]): { value: string; of: Observation }[] {
  const from = (sources: readonly ObservationSource[]) =>
    sources.flatMap((source) =>
      observations.filter((each) => each.source === source).map((of) => ({ value: of.value.trim(), of })),
    );
  const inTexts = observations.flatMap((of) => {
    const pattern = of.source === 'mdns-text' ? FRIENDLY_KEYS : of.source === 'mdns-instance' ? NAMED_SERVICES : null;
    const [, name] = pattern?.exec(of.value) ?? [];
    // What stands behind a hash or an at sign is a number of the protocol, as in `0011AABB@Kitchen` of AirPlay.
    return name === undefined ? [] : [{ value: name.replace(/^[0-9A-F]{12}@/i, '').trim(), of }];
  });
  const hosts = from(HOST_NAMES);
  const friendly = [
    ...from(['upnp-name']),
    ...inTexts.sort((a, b) => (a.value < b.value ? -1 : 1)),
    ...from(FRIENDLY.slice(1)),
  ];
  const all = [...hosts, ...friendly].filter(({ value }) => value !== '');
  const chosen = all.filter(({ value }) => !isMachineMade(value));
  return [...chosen, ...all.filter((each) => !chosen.includes(each))];
}
