/** The names of a device, and which of them to show. */
import type { Observation, ObservationSource } from '../agent/observations.ts';

/** Other facts about a device: a name that only repeats them is of little use. */
interface Known {
  mac?: string | undefined;
  vendor: string;
  model: string;
}

interface Named {
  value: string;
  of: Observation;
  /** Who chose it: a maker's name is better than a generated one. */
  by: 'person' | 'maker' | 'machine';
}

/** Sources of host names, best first. */
export const HOST_NAMES: readonly ObservationSource[] = [
  'dns',
  'mdns',
  'netbios',
  'snmp-name',
  'lldp-name',
  'host-name',
  'dhcp-name',
];

/** TXT keys by which people know a device. */
const NAME_KEYS = /^_(?:(?:googlecast|airplay)\S* fn|esphomelib\S* friendly_name|amzn-wplay\S* n)=(.+)/i;
/** Services whose instance name is the one that a person gave the device. */
const NAMED_SERVICES =
  /^_(?:airplay|googlecast|ipps?|printer|pdl-datastream|hap|hue|sonos|soundtouch|androidtvremote2?|nanoleafapi|smb|afpovertcp|device-info|companion-link|homekit|workstation)\._(?:tcp|udp) (.+)/i;
/** Programs that announce other devices' accessories by HomeKit, on any host. */
export const ACCESSORY_PROGRAMS = /^_hap\S* md=(?:homebridge|HASS|Home Assistant|Scrypted|Camera FFmpeg|openHAB)/i;
/** A print queue that a computer shares. */
const SHARED_QUEUE = /^_(?:ipps?|printer|pdl-datastream)\S* .* @ /i;
const TYPE = /^\S+/;
/** Programs that run on any host: the name in their description is their own. */
const PROGRAMS =
  /^(?:XBMC|Kodi|Plex|Jellyfin|Emby|Serviio|Universal Media|Rygel|gmediarender|Justin Maggard|minidlna|ReadyMedia|Gerbera|MiniUPnP|Linux|Windows (?:Media|Digital))/i;

/** Generated names: an address, a MAC or another number, perhaps behind a word. Any other name of the host is better. */
const MACHINE_MADE = [
  /^(?:(?:dhcp|ip|host|client|pc|device|dyn|unknown|ipv4|pool|net)[-_.]?)?\d{1,3}[-_.]\d{1,3}[-_.]\d{1,3}[-_.]\d{1,3}(?:\.|$)/i,
  /^(?:dhcp|ip|host|client|device|dyn|unknown|pc)[-_.]?\d*(?:\.|$)/i,
  /^(?:[a-z]{2,10}[-_])?(?:[0-9a-f]{2}[-_:]){5}[0-9a-f]{2}(?:\.|$)/i,
  /^(?:android|unknown|device|amazon|esp)?[-_]?[0-9a-f]{12,32}(?:\.|$)/i,
  /^android-[0-9a-f]{8,16}(?:\.|$)/i,
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:\.|$)/i,
  /^(?:localhost|none|null|unnamed|espressif|iphone|ipad|android|linux|lwip0?)(?:\.|$)/i,
];

function isMachineMade(name: string): boolean {
  return MACHINE_MADE.some((pattern) => pattern.test(name));
}

/** Words in the factory names of devices. */
const DELIVERED =
  /^(?:iphone|ipad|ipod|watch|applewatch|macbook|imac|mac|air|apple|android|galaxy|samsung|pixel|redmi|xiaomi|mi|poco|huawei|honor|oneplus|oppo|vivo|realme|moto|motorola|nokia|sony|xperia|lg|sm|note|tab|fold|flip|pro|max|plus|ultra|mini|lite|fe|se|neo|edge|phone|tablet|smartphone|laptop|notebook|desktop|pc|computer|windows|linux|ubuntu|debian|fedora|raspberrypi|raspberry|pi|esp|espressif|tasmota|shelly|localhost|localdomain|host|client|device|unknown|user|home|guest|tv|smarttv|chromecast|printer|camera|cam|router|the|my|of)$/;
/** Words that makers add: they describe the product, and do not distinguish one device. */
const PRODUCT =
  /^(?:series|smart|webos|bridge|hub|gateway|speaker|soundbar|player|receiver|media|renderer|dmr|multifunction|mfp|system|google|nest|hue|philips|wlan|wifi)$/;
/** Numbers of models: `s21`, `7`, `g991b`. */
const MODEL_NUMBER = /^[a-z]{0,3}\d{0,5}[a-z]{0,2}$/;

/** Whether many devices have this name, so that it identifies none of them. */
export function isCommonName(label: string): boolean {
  return isMachineMade(label) || wordsOf(label).every(isDelivered);
}

export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function isDelivered(word: string): boolean {
  return DELIVERED.test(word) || (MODEL_NUMBER.test(word) && /\d/.test(word)) || word.length < 2;
}

const squeezed = (text: string) => wordsOf(text).join('');

/** Whether the name only repeats the maker and the product. */
function repeatsProduct(name: string, { vendor, model }: Known): boolean {
  const [words, product] = [wordsOf(name), squeezed(`${vendor} ${model}`)];
  const isKnown = (word: string) =>
    isDelivered(word) || PRODUCT.test(word) || (word.length > 2 && product.includes(word));
  return words.length > 0 && (words.every(isKnown) || (/\d/.test(model) && squeezed(name) === squeezed(model)));
}

/** A name that ends with a generated number: a whole MAC, or six of its digits, letters among them. */
const NUMBERED = /[0-9a-f]{12}$|[-_ :](?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{6,11}$/i;

function endsWithMac(name: string, mac: string | undefined): boolean {
  if (NUMBERED.test(name)) return true;
  const digits = mac?.replace(/[^0-9a-f]/gi, '').toLowerCase() ?? '';
  if (digits.length < 12) return false;
  const text = name.toLowerCase();
  return squeezed(text).includes(digits.slice(-6)) || new RegExp(`[-_ ]${digits.slice(-4)}$`).test(text);
}

/** The names of a device, the one to show first: chosen by people, by its maker, generated. */
export function namesOf(observations: readonly Observation[], known: Known = { vendor: '', model: '' }): Named[] {
  const from = (source: ObservationSource) => observations.filter((each) => each.source === source);
  const found = (pattern: RegExp, of: Observation) => {
    const [, value] = pattern.exec(of.value) ?? [];
    return value === undefined ? [] : [{ value, of }];
  };
  const isProgram = observations.some(
    ({ source, value }) => (source === 'upnp-maker' || source === 'upnp-model') && PROGRAMS.test(value),
  );
  const instances = from('mdns-instance');
  // Several instances of a service belong to other devices, on whose behalf it announces: a bridge, or a print server.
  const areAccessories = from('mdns-text').some(({ value }) => ACCESSORY_PROGRAMS.test(value));
  const isOfOthers = ({ value }: Observation) =>
    SHARED_QUEUE.test(value) ||
    (areAccessories && /^_hap\./i.test(value)) ||
    instances.some((other) => other.value !== value && TYPE.exec(other.value)?.[0] === TYPE.exec(value)?.[0]);
  const described = from('upnp-name').map((of) => ({ value: of.value, of }));
  const given = [
    ...from('mdns-text').flatMap((of) => found(NAME_KEYS, of)),
    ...(isProgram ? [] : described),
    ...instances.flatMap((of) => (isOfOthers(of) ? [] : found(NAMED_SERVICES, of))),
  ].map(({ value, of }) => ({ value: withoutNumbers(value, known), of }));
  const hosts = HOST_NAMES.flatMap(from).map((of) => ({ value: of.value.trim().replace(/\.local\.?$/i, ''), of }));
  const byWhom = (value: string, label = value): Named['by'] => {
    if (isMachineMade(value) || endsWithMac(label, known.mac)) return 'machine';
    return repeatsProduct(label, known) ? 'maker' : 'person';
  };
  const ofHost = (value: string): Named['by'] => {
    const [label = ''] = value.split('.');
    const by = byWhom(value, label);
    // A host name that only repeats a better spelling of the device is no further name.
    return by === 'person' && given.some((each) => isSpelling(each.value, label)) ? 'maker' : by;
  };
  const rank = { person: 0, maker: 1, machine: 2 };
  return [
    // In a controller or router, where people name devices.
    ...from('given-name').map((of) => ({ value: of.value, of, by: 'person' as const })),
    ...given.map((each) => ({ ...each, by: byWhom(each.value) })),
    ...hosts.map((each) => ({ ...each, by: ofHost(each.value) })),
    ...(isProgram ? described.map((each) => ({ ...each, by: byWhom(each.value) })) : []),
  ]
    .filter(({ value }) => value !== '')
    .sort((a, b) => rank[a.by] - rank[b.by]);
}

/** Whether a text is a readable spelling of a host name, perhaps with more behind it: `[LG] webOS TV OLED55C1`. */
function isSpelling(text: string, host: string): boolean {
  const [one, other] = [squeezed(text), squeezed(host)];
  return other.length > 3 && one.startsWith(other) && !NUMBERED.test(text);
}

/** Removes prefixes and suffixes of protocols: `0011AABBCCDD@Kitchen`, `DiskStation (DS920+)`, `[TV] Den`. */
function withoutNumbers(text: string, known: Known): string {
  const name = text
    .replace(/^\S*[0-9a-f]{12}\S*@/i, '')
    .replace(/^\[(?:TV|AV)\] */i, '')
    .replace(/^\d{1,3}(?:\.\d{1,3}){3} - /, '')
    .replace(/ \[[0-9a-f:]{17}\]$/i, '')
    .trim();
  const [, before, inside = ''] = /^(.+?) *\(([^()]+)\)$/.exec(name) ?? [];
  const isNoise =
    /^\d{1,3}(?:\.\d{1,3}){3}/.test(inside) || endsWithMac(` ${inside}`, known.mac) || repeatsProduct(inside, known);
  return before !== undefined && isNoise ? before : name;
}
