/** Classifies a device by its observations. Pure: the same evidence gives the same classification. */
import type { Observation, ObservationSource } from '../agent/observations.ts';
import type { Kind } from './kinds.ts';
import { namesOf } from './names.ts';
import { type Place, placesOf } from './place.ts';
import {
  type Conclusion,
  FAMILIES,
  type Family,
  isImitated,
  type Match,
  modelOf,
  rounded,
  vendorOf,
} from './product.ts';
import type { Rule } from './rule.ts';
import { BANNER_RULES } from './rules/banners.ts';
import { DHCP_RULES } from './rules/dhcp.ts';
import { MDNS_RULES } from './rules/mdns.ts';
import { NAME_RULES } from './rules/names.ts';
import { SNMP_RULES } from './rules/snmp.ts';
import { SOURCE_RULES } from './rules/sources.ts';
import { UPNP_RULES } from './rules/upnp.ts';
import { VENDOR_RULES } from './rules/vendors.ts';

/** Everything known of a device. */
interface Evidence {
  /** All observations, of all agents, and of scans. */
  observations: readonly Observation[];
  /** Whether its MAC is randomized. */
  random: boolean;
  /** To recognise names that contain it. */
  mac?: string;
}

export type { Conclusion } from './product.ts';

/** The classification of a device; null where the evidence does not suffice. */
export interface Classification {
  kind: Conclusion<Kind> | null;
  vendor: Conclusion<string> | null;
  model: Conclusion<string> | null;
  name: Conclusion<string> | null;
  place: Conclusion<Place> | null;
}

/** The least confidence of a conclusion: a wrong one is worse than none. */
export const THRESHOLD = 0.6;

export const ALL_RULES: readonly Rule[] = [
  ...MDNS_RULES,
  ...UPNP_RULES,
  ...SNMP_RULES,
  ...DHCP_RULES,
  ...NAME_RULES,
  ...BANNER_RULES,
  ...VENDOR_RULES,
  ...SOURCE_RULES,
];
const RULES = new Map<ObservationSource, Rule[]>();
for (const rule of ALL_RULES) RULES.set(rule.source, [...(RULES.get(rule.source) ?? []), rule]);

/** The more general kinds of a kind: evidence for those does not contradict it. */
const GENERAL: Partial<Record<Kind, readonly Kind[]>> = {
  // A Mac is a receiver of AirPlay as well.
  computer: ['media-player'],
  laptop: ['computer', 'media-player'],
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

/** The share of its confidence that a kind loses to a contradicting one. */
const CONTRADICTION = 0.6;
/** The share of its weight with which a further observation of a family counts. */
const REPEATED = 0.5;
const DEFAULT_WEIGHT = 0.8;
/** Hosts reach other networks through it. */
const GATEWAY_WEIGHT = 0.66;
/** Phones randomize their MACs, and little else does. */
const RANDOM_PHONE_WEIGHT = 0.2;

/** Families of the device's own announcements, independent of the name that a person gave it. */
const ANNOUNCED: ReadonlySet<Family> = new Set(['mdns', 'upnp', 'snmp', 'dhcp', 'scan']);

export function classify({ observations, random, mac }: Evidence): Classification {
  const inOrder = [...observations].sort(byText);
  const all = inOrder.flatMap(matchesOf);
  const matches = all.filter((match) => !isImitated(match, inOrder));
  const vendor = vendorOf(matches, inOrder);
  const model = modelOf(matches, vendor?.value ?? '');
  const [name] = namesOf(inOrder, { mac, vendor: vendor?.value ?? '', model: model?.value ?? '' });
  return {
    kind: kindOf(matches, inOrder, random),
    vendor,
    model,
    name: name === undefined ? null : { value: name.value, confidence: NAME_CONFIDENCE[name.by], because: [name.of] },
    place: placesOf(inOrder)[0] ?? null,
  };
}

const NAME_CONFIDENCE = { person: 0.9, maker: 0.75, machine: THRESHOLD };

/** Makes the result independent of the order of the observations. */
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
): Conclusion<Kind> | null {
  const scores = scoresOf(matches, observations, random);
  const kinds = [...scores.keys()];
  const judged = kinds.map((kind) => {
    const score = scores.get(kind) ?? { confidence: 0, because: [] };
    const others = kinds.filter((other) => other !== kind && !isRelated(kind, other));
    const against = Math.max(0, ...others.map((other) => scores.get(other)?.confidence ?? 0));
    return { value: kind, confidence: score.confidence * (1 - CONTRADICTION * against), because: score.because };
  });
  const given = judged.filter(({ confidence }) => confidence >= THRESHOLD).sort((a, b) => b.confidence - a.confidence);
  // A special kind above the threshold is more useful than its general one.
  const best = given.find(({ value }) => !given.some((other) => GENERAL[other.value]?.includes(value))) ?? given[0];
  if (best === undefined) return null;
  const because = [...best.because].sort((a, b) => b.weight - a.weight).map(({ of }) => of);
  return { value: best.value, confidence: rounded(best.confidence), because: [...new Set(because)] };
}

function isRelated(one: Kind, other: Kind): boolean {
  return GENERAL[one]?.includes(other) === true || GENERAL[other]?.includes(one) === true;
}

/** The confidence of each kind: families are independent evidence. */
function scoresOf(matches: readonly Match[], observations: readonly Observation[], random: boolean): Map<Kind, Score> {
  const weights = new Map<Kind, Map<Family, { of: Observation; weight: number }[]>>();
  const add = (kind: Kind, family: Family, of: Observation, weight: number) => {
    const families = weights.get(kind) ?? new Map();
    weights.set(kind, families.set(family, [...(families.get(family) ?? []), { of, weight }]));
  };
  const decided = new Map<Observation, { family: Family; kind: Kind; weight: number; isWord: boolean }>();
  for (const { rule, of } of matches) {
    const { kind, weight = DEFAULT_WEIGHT, word = false } = rule;
    const family = FAMILIES.get(of.source);
    // The first rule that names a kind decides: the most precise rules come first.
    if (kind === undefined || family === undefined || decided.has(of)) continue;
    decided.set(of, { family, kind, weight, isWord: word });
  }
  const announced = [...decided.values()].filter(({ family, weight }) => ANNOUNCED.has(family) && weight >= THRESHOLD);
  for (const [of, { family, kind, weight, isWord }] of decided) {
    if (isWord && announced.length > 0 && !announced.some((one) => one.kind === kind)) continue;
    add(kind, family, of, weight);
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
