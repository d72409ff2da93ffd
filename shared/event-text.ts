/**
 * Observed events as text for a person: those that change no field of a device. (The text of other events derives from the
 * changed fields.) The `detail` of each type:
 * - `joined`, `split`: macs (the first of them, with commas), and `count`.
 * - `port-opened`, `port-closed`: port, protocol, service, scan, and address where it is not the main one; beyond the first
 *   ports of a scan only more (how many) and scan.
 * - `check-down`: reason. `check-up`: seconds. `certificate-ending`: endsAt, days. `route-changed`: from, to.
 * - `agent-lost`: why, when two hosts run it. `agent-back`, `site-back`: seconds. `agent-update-failed`: version, reason.
 * - `site-dark`, `internet-lost`: why. `internet-back`: seconds, why. `address-changed`: from, to, provider.
 * - `speed-low`, `speed-normal`: downMbps, usualMbps. `outage`: cause (`gateway`, `switch`, `power` or `devices`), why.
 * - `outage-over`: seconds, back, still. `turn-missed`: count, first, last, why.
 */
import type { DeviceEvent, EventDetail, EventType } from './api/events.ts';

export type Observed = Pick<DeviceEvent, 'subject' | 'detail' | 'reasonCode' | 'count'>;
type Say = (event: Observed) => string;

/** By type, without a subject. */
const ENGLISH_OBSERVED = {
  joined: (event) => `was joined with ${macsOf(event)}`,
  split: (event) => `is not joined with ${macsOf(event)} any more`,
  'port-opened': (event) => `has opened ${portOf(event)}`,
  'port-closed': (event) => `has closed ${portOf(event)}`,
  'check-down': (event) => `does not answer${because(event, 'reason')}`,
  'check-up': (event) => `answers again${after(event)}`,
  'certificate-ending': (event) => `has a certificate that ends ${inDays(numberOf(event, 'days'))}`,
  'route-changed': (event) => `is reached by another way: ${textOf(event, 'to')}; before: ${textOf(event, 'from')}`,
  'agent-lost': ({ detail }) =>
    detail?.why === undefined ? 'is not connected any more' : `is connected only in turns: ${detail.why}`,
  'agent-back': (event) => `is connected again${after(event)}`,
  'agent-update-failed': (event) =>
    `was not updated to ${textOf(event, 'version')}, and no further agent is${because(event, 'reason')}`,
  'site-dark': (event) => `has gone dark: none of its agents is connected${because(event, 'why')}`,
  'site-back': (event) => `has an agent again${after(event)}`,
  'internet-lost': (event) => `has lost the internet${because(event, 'why')}`,
  'internet-back': (event) => `has the internet again${after(event)}${because(event, 'why')}`,
  'address-changed': (event) =>
    `has the public address ${textOf(event, 'to')}, before ${textOf(event, 'from') || 'unknown'}`,
  'speed-low': (event) => `is slow: ${mbps(event, 'downMbps')}, where ${mbps(event, 'usualMbps')} is usual`,
  'speed-normal': (event) => `is as fast as usual again: ${mbps(event, 'downMbps')}`,
  outage: (event) => `${devices(event.count)} gone at once${because(event, 'why')}`,
  'outage-over': (event) => `${devices(numberOf(event, 'back'))} back${after(event)}${still(event)}`,
  'turn-missed': (event) => `was not run ${times(numberOf(event, 'count'))}${because(event, 'why')}`,
} as const satisfies Partial<Record<EventType, Say>>;
export type ObservedType = keyof typeof ENGLISH_OBSERVED;

export function isObserved(type: string): type is ObservedType {
  return Object.hasOwn(ENGLISH_OBSERVED, type);
}

/** The text without a subject, such as "has opened port 8080/tcp (http-proxy)". */
export function observedPredicate(type: ObservedType, event: Observed): string {
  return ENGLISH_OBSERVED[type](event);
}

/** The same with the subject; `name` is that of the device, where there is one. */
export function observedText(
  type: ObservedType,
  event: Observed,
  name: string | null,
  said = observedPredicate(type, event),
  agent = 'the agent',
): string {
  if (type === 'outage' || type === 'outage-over') return said;
  const { kind, name: called = '' } = event.subject ?? {};
  const subject = name ?? (kind === 'agent' ? `${agent} ${called}` : called);
  return subject === '' ? said : `${subject} ${said}`;
}

/** A duration in words: `40 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function lengthText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const units: [number, string][] = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
  const first = units.findIndex(([size]) => whole >= size);
  if (first === -1) return '0 s';
  const [size, unit] = units[first]!;
  const count = Math.floor(whole / size);
  const [nextSize, nextUnit] = units[first + 1] ?? [0, ''];
  const rest = nextSize === 0 || size === 60 ? 0 : Math.floor((whole - count * size) / nextSize);
  return rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${nextUnit}`;
}

export function textOf({ detail }: Observed, name: string): string {
  const value = detail?.[name];
  return value === undefined || value === null ? '' : String(value);
}

export function numberOf({ detail }: Observed, name: string): number {
  const value = detail?.[name];
  return typeof value === 'number' ? value : 0;
}

function because(event: Observed, name: string): string {
  const why = textOf(event, name);
  return why === '' ? '' : `: ${why}`;
}

function after(event: Observed): string {
  const seconds = numberOf(event, 'seconds');
  return seconds === 0 ? '' : ` after ${lengthText(seconds)}`;
}

function portOf(event: Observed): string {
  const more = numberOf(event, 'more');
  if (more > 0) return more === 1 ? '1 more port' : `${more} more ports`;
  return `port ${portText(event.detail)}`;
}

/** `22/tcp (ssh) at 10.0.0.2`. @param at the word before an address, where it is not the main one */
export function portText({ port, protocol, service, address }: EventDetail = {}, at = 'at'): string {
  return `${port ?? ''}/${protocol || 'tcp'}${service ? ` (${service})` : ''}${address ? ` ${at} ${address}` : ''}`;
}

function inDays(days: number): string {
  if (days <= 0) return 'today';
  return days === 1 ? 'tomorrow' : `in ${days} days`;
}

export function macsOf(event: Observed, and = 'and', others = 'more'): string {
  const macs = textOf(event, 'macs').split(',').slice(0, MAX_SAID_MACS);
  const more = (event.count ?? macs.length) - macs.length;
  return macs.join(', ') + (more > 0 ? ` ${and} ${more} ${others}` : '');
}

const MAX_SAID_MACS = 3;

const mbps = (event: Observed, name: string) => `${numberOf(event, name)} Mbit/s`;
const devices = (count = 0) => (count === 1 ? '1 device is' : `${count} devices are`);
const times = (count: number) => (count <= 1 ? 'at its time' : `at ${count} of its times`);

function still(event: Observed): string {
  const count = numberOf(event, 'still');
  return count === 0 ? '' : `; ${count} still gone`;
}
