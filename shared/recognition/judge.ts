/** Judges what a device is by what was observed of it. Pure: the same evidence gives the same judgement. */
import type { Observation, ObservationSource } from '../agent/observations.ts';
import type { Kind } from './kinds.ts';
import { isMachineMade, namesOf } from './names.ts';
import { type Place, placeOf } from './place.ts';
import type { Rule } from './rule.ts';
import { BANNER_RULES } from './rules/banners.ts';
import { DHCP_RULES } from './rules/dhcp.ts';
import { MDNS_RULES } from './rules/mdns.ts';
import { NAME_RULES } from './rules/names.ts';
import { SNMP_RULES } from './rules/snmp.ts';
import { UPNP_RULES } from './rules/upnp.ts';
import { VENDOR_RULES } from './rules/vendors.ts';

/** What is known of a device. */
interface Evidence {
  /** All observations, of all agents, and of scans. */
  observations: readonly Observation[];
  /** Whether it made its MAC up. */
  random: boolean;
}

/** Something that seems to be so. */
export interface Verdict<Value> {
  value: Value;
  /** From 0 to 1. Verdicts below THRESHOLD are not given. */
  confidence: number;
  /** The observations that speak for it, the strongest first. */
  because: readonly Observation[];
}

/** What a device seems to be; null where the evidence does not say. */
export interface Judgement {
  kind: Verdict<Kind> | null;
  vendor: Verdict<string> | null;
  model: Verdict<string> | null;
  name: Verdict<string> | null;
  place: Verdict<Place> | null;
}

/** The least confidence of a verdict that is given: a wrong one is worse than none. */
export const THRESHOLD = 0.6;

export const ALL_RULES: readonly Rule[] = [
  ...MDNS_RULES,
  ...UPNP_RULES,
  ...SNMP_RULES,
  ...DHCP_RULES,
  ...NAME_RULES,
  ...BANNER_RULES,
  ...VENDOR_RULES,
];
const RULES = new Map<ObservationSource, Rule[]>();
for (const rule of ALL_RULES) RULES.set(rule.source, [...(RULES.get(rule.source) ?? []), rule]);

/** Sources of one family repeat each other, so that only the strongest of them counts in full. */
type Family = 'mdns' | 'upnp' | 'snmp' | 'dhcp' | 'name' | 'scan' | 'vendor' | 'role';
const FAMILIES: Partial<Record<ObservationSource, Family>> = {
  'mdns-service': 'mdns',
  'mdns-instance': 'mdns',
  'mdns-text': 'mdns',
  'ssdp-server': 'upnp',
  'ssdp-type': 'upnp',
  'upnp-type': 'upnp',
  'upnp-name': 'upnp',
  'upnp-maker': 'upnp',
  'upnp-model': 'upnp',
  'snmp-description': 'snmp',
  'snmp-object': 'snmp',
  'lldp-description': 'snmp',
  'lldp-capabilities': 'snmp',
  'dhcp-class': 'dhcp',
  'dhcp-options': 'dhcp',
  dns: 'name',
  mdns: 'name',
  netbios: 'name',
  'dhcp-name': 'name',
  'snmp-name': 'name',
  'lldp-name': 'name',
  'http-title': 'scan',
  'http-server': 'scan',
  ssh: 'scan',
  tls: 'scan',
  service: 'scan',
  os: 'scan',
  'mac-vendor': 'vendor',
};

/** What a kind is a special case of: evidence for that does not speak against it. */
const GENERAL: Partial<Record<Kind, readonly Kind[]>> = {
  laptop: ['computer'],
  'single-board': ['computer', 'server', 'smart-home'],
  server: ['computer'],
  nas: ['server', 'computer', 'media-player'],
  hypervisor: ['server', 'computer'],
  'virtual-machine': ['server', 'computer', 'smart-home'],
  firewall: ['router', 'server', 'computer'],
  router: ['access-point', 'switch', 'nas'],
  tablet: ['phone'],
  watch: ['phone'],
  speaker: ['media-player', 'smart-home'],
  tv: ['media-player', 'speaker', 'smart-home'],
  'media-player': ['smart-home'],
  'game-console': ['media-player', 'computer'],
  camera: ['smart-home'],
  thermostat: ['smart-home', 'appliance'],
  'smart-plug': ['smart-home', 'appliance'],
  vacuum: ['appliance', 'smart-home'],
  appliance: ['smart-home'],
  printer: ['scanner'],
  switch: ['router'],
};

/** How much it takes from a kind that another one seems to be right as well. */
const CONTRADICTION = 0.6;
/** How much a further observation of a family counts. */
const REPEATED = 0.5;
const DEFAULT_WEIGHT = 0.8;
/** Hosts reach other networks through it. */
const GATEWAY_WEIGHT = 0.66;
/** Phones make their MACs up, and little else does. */
const RANDOM_PHONE_WEIGHT = 0.2;

/** A rule that fits an observation. */
interface Match {
  rule: Rule;
  groups: RegExpExecArray;
  of: Observation;
}

export function judge({ observations, random }: Evidence): Judgement {
  const inOrder = [...observations].sort(byText);
  const matches = inOrder.flatMap(matchesOf);
  const vendor = vendorOf(matches, inOrder);
  const [name] = namesOf(inOrder);
  return {
    kind: kindOf(matches, inOrder, random),
    vendor,
    model: modelOf(matches, vendor?.value ?? ''),
    name:
      name === undefined
        ? null
        : { value: name.value, confidence: isMachineMade(name.value) ? THRESHOLD : 0.9, because: [name.of] },
    place: placeOf(inOrder),
  };
}

/** So that the order in which observations come makes no difference. */
function byText(a: Observation, b: Observation): number {
  const [one, other] = [`${a.source} ${a.value}`, `${b.source} ${b.value}`];
  return one < other ? -1 : one > other ? 1 : a.at - b.at;
}

function matchesOf(of: Observation): Match[] {
  return (RULES.get(of.source) ?? []).flatMap((rule) => {
    const groups = rule.pattern.exec(of.value);
    return groups === null ? [] : [{ rule, groups, of }];
  });
}

interface Score {
  confidence: number;
  because: { of: Observation; weight: number }[];
}

function kindOf(
  matches: readonly Match[],
  observations: readonly Observation[],
  random: boolean,
): Verdict<Kind> | null {
  const scores = scoresOf(matches, observations, random);
  const kinds = [...scores.keys()];
  const judged = kinds.map((kind) => {
    const score = scores.get(kind) ?? { confidence: 0, because: [] };
    const others = kinds.filter((other) => other !== kind && !isRelated(kind, other));
    const against = Math.max(0, ...others.map((other) => scores.get(other)?.confidence ?? 0));
    return { value: kind, confidence: score.confidence * (1 - CONTRADICTION * against), because: score.because };
  });
  const given = judged.filter(({ confidence }) => confidence >= THRESHOLD).sort((a, b) => b.confidence - a.confidence);
  // A special case that is sure enough says more than the general one.
  const best = given.find(({ value }) => !given.some((other) => GENERAL[other.value]?.includes(value))) ?? given[0];
  if (best === undefined) return null;
  const because = [...best.because].sort((a, b) => b.weight - a.weight).map(({ of }) => of);
  return { value: best.value, confidence: rounded(best.confidence), because: [...new Set(because)] };
}

function isRelated(one: Kind, other: Kind): boolean {
  return GENERAL[one]?.includes(other) === true || GENERAL[other]?.includes(one) === true;
}

/** How much speaks for each kind: families are independent of each other. */
function scoresOf(matches: readonly Match[], observations: readonly Observation[], random: boolean): Map<Kind, Score> {
  const weights = new Map<Kind, Map<Family, { of: Observation; weight: number }[]>>();
  const add = (kind: Kind, family: Family, of: Observation, weight: number) => {
    const families = weights.get(kind) ?? new Map();
    weights.set(kind, families.set(family, [...(families.get(family) ?? []), { of, weight }]));
  };
  const decided = new Set<Observation>();
  for (const { rule, of } of matches) {
    const family = FAMILIES[of.source];
    // The first rule that names a kind decides: rules stand with the most precise first.
    if (rule.kind === undefined || family === undefined || decided.has(of)) continue;
    decided.add(of);
    add(rule.kind, family, of, rule.weight ?? DEFAULT_WEIGHT);
  }
  for (const of of observations) if (of.source === 'gateway') add('router', 'role', of, GATEWAY_WEIGHT);
  return new Map(
    [...weights].map(([kind, families]) => {
      const against = [...families.values()].map((some) => 1 - familyWeight(some.map(({ weight }) => weight)));
      if (kind === 'phone' && random) against.push(1 - RANDOM_PHONE_WEIGHT);
      const confidence = 1 - against.reduce((product, one) => product * one, 1);
      return [kind, { confidence, because: [...families.values()].flat() }];
    }),
  );
}

function familyWeight(weights: readonly number[]): number {
  const [first = 0, second = 0] = [...weights].sort((a, b) => b - a);
  return 1 - (1 - first) * (1 - REPEATED * second);
}

/** How sure a maker is by the source that names it: what the device says itself is surer than whose card it has. */
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
};
const OTHER_VENDOR_WEIGHT = 0.7;
const MAC_VENDOR_WEIGHT = 0.65;

function vendorOf(matches: readonly Match[], observations: readonly Observation[]): Verdict<string> | null {
  const told = matches
    .flatMap(({ rule, groups, of }) => {
      const value = filled(rule.vendor, groups);
      return value === '' ? [] : [{ value, of, confidence: VENDOR_WEIGHTS[of.source] ?? OTHER_VENDOR_WEIGHT }];
    })
    .sort((a, b) => b.confidence - a.confidence);
  const card = observations.find(({ source }) => source === 'mac-vendor');
  const [best] = told;
  if (best === undefined) {
    return card === undefined ? null : { value: card.value, confidence: MAC_VENDOR_WEIGHT, because: [card] };
  }
  const agreeing = told
    .filter(({ value }) => value === best.value || isSameMaker(value, best.value))
    .map(({ of }) => of);
  // Where both mean the same company, it is called as the IEEE calls it, as for all of its devices.
  const isOwnCard = card !== undefined && isSameMaker(card.value, best.value);
  const because = [...new Set(isOwnCard ? [...agreeing, card] : agreeing)];
  return { value: isOwnCard ? card.value : best.value, confidence: best.confidence, because };
}

/** Whether the first word of one is a word of the other: Epson is Seiko Epson Corporation. */
function isSameMaker(one: string, other: string): boolean {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  return words.includes(others[0] ?? '') || others.includes(words[0] ?? '');
}

function wordsOf(maker: string): string[] {
  return maker
    .replace(/^HPE?$/, 'Hewlett')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Where a model is said most exactly, best first. */
const MODEL_SOURCES: readonly ObservationSource[] = [
  'upnp-model',
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

function modelOf(matches: readonly Match[], vendor: string): Verdict<string> | null {
  const told = matches
    .flatMap(({ rule, groups, of }) => {
      const value = modelName(filled(rule.model, groups), vendor);
      const rank = MODEL_SOURCES.indexOf(of.source);
      return value === '' || rank < 0 ? [] : [{ value, of, rank, isGeneral: rule.kind === undefined }];
    })
    .sort((a, b) => a.rank - b.rank || Number(a.isGeneral) - Number(b.isGeneral) || a.value.length - b.value.length);
  const [best] = told;
  if (best === undefined) return null;
  const because = told.filter(({ value }) => value === best.value).map(({ of }) => of);
  return {
    value: best.value,
    confidence: rounded(MODEL_CONFIDENCE - CONFIDENCE_BY_RANK * best.rank),
    because: [...new Set(because)],
  };
}

/** Without the maker in front of it, and without "series" behind it. What has no number is called by both: Sonos One. */
function modelName(text: string, vendor: string): string {
  const [maker = ''] = vendor.split(/[\s,]/);
  const isAhead = maker !== '' && text.toLowerCase().startsWith(`${maker.toLowerCase()} `);
  const rest = isAhead ? text.slice(maker.length) : text;
  return (/\d/.test(rest) ? rest : text).replace(/ series$/i, '').trim();
}

/** The text of a rule, with what its pattern has found. */
function filled(text: string | undefined, groups: RegExpExecArray): string {
  return (text ?? '').replace(/\$([&1])/g, (_, which) => (which === '&' ? groups[0] : (groups[1] ?? ''))).trim();
}

function rounded(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}
