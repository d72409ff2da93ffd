/** The maker and the model of a device, by the rules that match its observations. */
import type { Observation, ObservationSource } from '../agent/observations.ts';
import { HOST_NAMES, wordsOf } from './names.ts';
import type { Rule } from './rule.ts';

/** A conclusion from evidence. */
export interface Conclusion<Value> {
  value: Value;
  /** From 0 to 1, at least THRESHOLD. */
  confidence: number;
  /** The observations that support it, the strongest first. */
  because: readonly Observation[];
}

/** A rule that matches an observation. */
export interface Match {
  rule: Rule;
  groups: RegExpExecArray;
  of: Observation;
}

/** Sources of one family repeat each other, so that only the strongest of them counts in full. */
export type Family = 'mdns' | 'upnp' | 'snmp' | 'dhcp' | 'name' | 'scan' | 'vendor' | 'role';
const SOURCES: readonly [Family, readonly ObservationSource[]][] = [
  ['mdns', ['mdns-service', 'mdns-instance', 'mdns-text']],
  ['upnp', ['ssdp-server', 'ssdp-type', 'upnp-type', 'upnp-name', 'upnp-maker', 'upnp-model']],
  ['snmp', ['snmp-description', 'snmp-object', 'lldp-description', 'lldp-capabilities']],
  ['dhcp', ['dhcp-class', 'dhcp-options']],
  ['name', HOST_NAMES],
  ['scan', ['http-title', 'http-server', 'ssh', 'tls', 'service', 'os']],
  ['vendor', ['mac-vendor']],
];
export const FAMILIES: ReadonlyMap<ObservationSource, Family> = new Map(
  SOURCES.flatMap(([family, sources]) => sources.map((source) => [source, family] as const)),
);

/** Makers of docks and adapters, to which other makers' computers are attached. */
const ADAPTERS = /^(?:Realtek|ASIX|Belkin|Anker|CalDigit|Plugable|Good Way|Luxshare|Bizlink|Cal-Comp|TP-Link)/i;
/** Placeholders in the descriptions of programs. */
const NO_MAKER = /^(?:XBMC|Kodi|Plex|Linux|MiniUPnP|Unknown|Manufacturer)/i;

/** Whether a platform rule matches a device of another maker. */
export function isImitated({ rule }: Match, observations: readonly Observation[]): boolean {
  if (rule.platform !== true) return false;
  const { vendor = '' } = rule;
  const isShare = observations.some(({ source, value }) => source === 'mdns-service' && /^_adisk\./i.test(value));
  return observations.some(({ source, value }) => {
    if (source !== 'mac-vendor' && source !== 'upnp-maker') return false;
    const isAtDock = rule.docks === true && !isShare && ADAPTERS.test(value);
    return !isSameMaker(value, vendor) && !NO_MAKER.test(value) && !isAtDock;
  });
}

/** The confidence of a maker by source: the device's own announcement is more reliable than its network card. */
const VENDOR_WEIGHTS: Partial<Record<ObservationSource, number>> = {
  'upnp-maker': 0.95,
  'snmp-object': 0.93,
  'mdns-text': 0.92,
  'snmp-description': 0.9,
  'lldp-description': 0.9,
  'upnp-model': 0.88,
  'ssdp-server': 0.85,
  'ssdp-type': 0.85,
  'upnp-type': 0.85,
  'dhcp-class': 0.85,
  'mdns-service': 0.8,
  'mdns-instance': 0.75,
  'http-title': 0.75,
  'source-maker': 0.66, // Mostly by its MAC, as the next.
};
const OTHER_VENDOR_WEIGHT = 0.7;
const MAC_VENDOR_WEIGHT = 0.65;
/** Makers of cards and modules for other makers: a factory name is better evidence. */
const MODULES =
  /^(?:Espressif|Tuya|Hon Hai|AzureWave|Lite-?on|Intel|Realtek|ASIX|Murata|AMPAK|Universal Global|Microchip|Texas Instruments|Hui Zhou Gaoshengda|Gaoshengda|Shenzhen|WNC|Wistron|Cybertan|Chicony|USI|Silicon Lab|Beken|Bouffalo|MediaTek|Ralink|Qualcomm|Atheros|Broadcom|Cypress)/i;

export function vendorOf(matches: readonly Match[], observations: readonly Observation[]): Conclusion<string> | null {
  const card = observations.find(({ source }) => source === 'mac-vendor');
  const claims = matches
    .flatMap(({ rule, groups, of }) => {
      const value = filled(rule.vendor, groups);
      const isOnlyName = FAMILIES.get(of.source) === 'name' && card !== undefined && !MODULES.test(card.value);
      const isSaid = value !== '' && (!isOnlyName || isSameMaker(card.value, value));
      return isSaid ? [{ value, of, confidence: VENDOR_WEIGHTS[of.source] ?? OTHER_VENDOR_WEIGHT }] : [];
    })
    .sort((a, b) => b.confidence - a.confidence);
  const [best] = claims;
  if (best === undefined) {
    return card === undefined ? null : { value: card.value, confidence: MAC_VENDOR_WEIGHT, because: [card] };
  }
  const agreeing = claims
    .filter(({ value }) => value === best.value || isSameMaker(value, best.value))
    .map(({ of }) => of);
  // Where both mean the same company, the IEEE's name of it wins, as for its other devices.
  const isOwnCard = card !== undefined && isSameMaker(card.value, best.value);
  const because = [...new Set(isOwnCard ? [...agreeing, card] : agreeing)];
  return { value: isOwnCard ? card.value : best.value, confidence: best.confidence, because };
}

/** Whether the first word of one is a word of the other: Epson is Seiko Epson Corporation. */
function isSameMaker(one: string, other: string): boolean {
  const [words = [], others = []] = [one, other].map((maker) => wordsOf(maker.replace(/^HPE?$/, 'Hewlett')));
  return words.includes(others[0] ?? '') || others.includes(words[0] ?? '');
}

/** Sources of models, the most precise first. */
const MODEL_SOURCES: readonly ObservationSource[] = [
  'upnp-model',
  'source-model',
  'mdns-text',
  'snmp-description',
  'lldp-description',
  'dhcp-class',
  'ssdp-server',
  'http-title',
  'service',
  'http-server',
  'tls',
  'mdns-service',
  'dhcp-name',
  'lldp-name',
];
const MODEL_CONFIDENCE = 0.9;
const CONFIDENCE_BY_RANK = 0.02;

export function modelOf(matches: readonly Match[], vendor: string): Conclusion<string> | null {
  const claims = matches
    .flatMap(({ rule, groups, of }) => {
      const value = modelName(filled(rule.model, groups), vendor);
      const rank = MODEL_SOURCES.indexOf(of.source);
      const isVague = !/\d/.test(value);
      return value === '' || rank < 0 ? [] : [{ value, of, rank, isGeneral: rule.kind === undefined, isVague }];
    })
    // OLED55C1 is more precise than LG Smart TV.
    .sort(
      (a, b) =>
        Number(a.isVague) - Number(b.isVague) ||
        a.rank - b.rank ||
        Number(a.isGeneral) - Number(b.isGeneral) ||
        a.value.length - b.value.length,
    );
  const [best] = claims;
  if (best === undefined) return null;
  const because = claims.filter(({ value }) => value === best.value).map(({ of }) => of);
  return {
    value: best.value,
    confidence: rounded(MODEL_CONFIDENCE - CONFIDENCE_BY_RANK * best.rank),
    because: [...new Set(because)],
  };
}

/** Without the maker in front and "series" behind. A model without a number keeps its maker: Sonos One. */
function modelName(text: string, vendor: string): string {
  const [maker = ''] = vendor.split(/[\s,]/);
  const isAhead = maker !== '' && text.toLowerCase().startsWith(`${maker.toLowerCase()} `);
  const rest = isAhead ? text.slice(maker.length) : text;
  return (/\d/.test(rest) ? rest : text).replace(/ series$/i, '').trim();
}

/** The text of a rule, with the groups that its pattern matched. */
function filled(text: string | undefined, groups: RegExpExecArray): string {
  return (text ?? '').replace(/\$([&1])/g, (_, which) => (which === '&' ? groups[0] : (groups[1] ?? ''))).trim();
}

export function rounded(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}
