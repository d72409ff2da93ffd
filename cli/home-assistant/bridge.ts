/** Shows sites and devices to Home Assistant, and wakes devices for it. */
import type { Client } from '../../client/client.ts';
import { parseJson } from '../../shared/json.ts';
import { failureOf } from '../client/failure.ts';
import { type BrokerAccess, openBroker } from './broker.ts';
import {
  type Device,
  deviceMessages,
  type Form,
  type Messages,
  ORIGIN,
  PRESS,
  siteMessages,
  topicsOf,
} from './messages.ts';
import { deviceId, objectId, type Place, placeOfConfig, statusTopic, topicOf } from './names.ts';
import { type Choice, type SiteState, watchSites } from './sites.ts';

interface BridgeOptions {
  client: Client;
  broker: BrokerAccess;
  form: Form;
  choice: Choice;
  note(text: string): void;
  signal: AbortSignal;
}

/** Without an answer of the service for so long, nothing that was published is known to be true. */
const STALE_MS = 180_000;
/** Home Assistant is busy when it has just started: bridges wait a random time up to this. */
const BIRTH_MS = 5_000;
/** How long the broker may take to send the configurations that it has kept. */
const KEPT_WITHIN_MS = 5_000;
const MOST_KEPT = 10_000;
/** A device is not woken twice within this time, however often its button is pressed. */
const WAKE_EVERY_MS = 10_000;
const MOST_WAKING = 10;

/** Works until the signal, then says that it is offline. @throws {Failure} when broker or service refuse it */
export async function runBridge({ client, broker: access, form, choice, note, signal }: BridgeOptions): Promise<void> {
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const { discovery } = form;
  const status = statusTopic(form);
  const allConfigs = `${discovery}/device/+/config`;
  /** What is shown, by object id; of a device with its MAC. */
  const shown = new Map<string, Place & { mac: string }>();
  /** The sites to show; null before they are known. */
  let listed: ReadonlySet<string> | null = null;
  /** Those whose devices are known. */
  const known = new Set<string>();
  const cut = new Set<string>();
  /** What the broker has kept of earlier runs. */
  const kept = new Map<string, Place>();
  const waking = new Map<string, number>();
  let birth: NodeJS.Timeout | undefined;
  let listening: NodeJS.Timeout | undefined;
  let stale: NodeJS.Timeout | undefined;

  const broker = openBroker({
    access,
    status,
    subscriptions: [
      `${discovery}/status`,
      allConfigs,
      ...(form.hasWake ? [topicOf(form, { site: '+', device: '+' }, 'wake')] : []),
    ],
    onUp() {
      clearTimeout(listening);
      listening = setTimeout(() => void broker.unsubscribe(allConfigs), KEPT_WITHIN_MS);
    },
    onMessage,
    note,
    signal: stop,
  });

  function onMessage(topic: string, payload: Buffer, isRetained: boolean): void {
    if (topic === `${discovery}/status`) {
      if (payload.toString() !== 'online') return;
      clearTimeout(birth);
      birth = setTimeout(broker.republish, 1_000 + Math.random() * (BIRTH_MS - 1_000));
    } else if (topic.endsWith('/wake')) {
      // A kept one would wake a device at each connection.
      if (!isRetained && payload.toString() === PRESS) void wake(topic);
    } else if (isRetained && payload.length > 0) {
      keep(topic, payload);
    }
  }

  /** Remembers a configuration of an earlier run, whose device may have gone meanwhile. */
  function keep(topic: string, payload: Buffer): void {
    const place = placeOfConfig(form, topic);
    const config = parseJson(payload.toString()) as { o?: { name?: unknown }; cmps?: { wake?: unknown } } | null;
    if (place === null || config?.o?.name !== ORIGIN || kept.size >= MOST_KEPT) return;
    kept.set(topic, place);
    // A component goes when it is published without anything but its platform.
    if (config.cmps?.wake !== undefined && !form.hasWake) {
      const without = { dev: { ids: [objectId(form, place)] }, o: { name: ORIGIN }, cmps: { wake: { p: 'button' } } };
      broker.precede(topic, JSON.stringify(without));
    }
    tidy();
  }

  /** Removes what earlier runs have published, and is shown no more. */
  function tidy(): void {
    for (const [topic, place] of kept) {
      if (listed === null || (listed.has(place.site) && !known.has(place.site))) continue;
      if (!shown.has(objectId(form, place))) remove(place);
      kept.delete(topic);
    }
  }

  function remove(place: Place): void {
    shown.delete(objectId(form, place));
    for (const topic of topicsOf(form, place)) broker.remove(topic);
  }

  function show(place: Place, mac: string, messages: Messages): void {
    shown.set(objectId(form, place), { ...place, mac });
    for (const message of messages) broker.publish(...message);
  }

  function onSites(ids: ReadonlySet<string>): void {
    listed = ids;
    for (const id of known) if (!ids.has(id)) known.delete(id);
    for (const place of shown.values()) if (!ids.has(place.site)) remove(place);
    tidy();
  }

  function onState({ site, devices, isCut }: SiteState): void {
    const { id } = site;
    show({ site: id, device: null }, '', siteMessages(form, site));
    const present = new Set<string>([objectId(form, { site: id, device: null })]);
    for (const device of devices) {
      const place = placeOfDevice(id, device);
      if (place === null) continue;
      present.add(objectId(form, place));
      show(place, device.devMac, deviceMessages(form, id, device));
    }
    for (const [object, place] of shown) if (place.site === id && !present.has(object)) remove(place);
    if (isCut && !cut.has(id))
      note(`The site ${id} has more devices than ${choice.most}: the first by name are shown (--most)`);
    if (isCut) cut.add(id);
    else cut.delete(id);
    known.add(id);
    tidy();
  }

  function onAnswer(): void {
    broker.publish(status, 'online');
    clearTimeout(stale);
    stale = setTimeout(() => {
      note('The service has not answered for three minutes: Home Assistant shows everything as unavailable');
      broker.publish(status, 'offline');
    }, STALE_MS);
  }

  /** The topic names a device that is shown; what else a message says counts for nothing. */
  async function wake(topic: string): Promise<void> {
    const place = [...shown.values()].find((one) => topicOf(form, one, 'wake') === topic);
    if (place === undefined || place.device === null || place.mac === '') return;
    const now = performance.now();
    for (const [other, at] of waking) if (now - at > WAKE_EVERY_MS) waking.delete(other);
    if (waking.has(topic) || waking.size >= MOST_WAKING) return;
    waking.set(topic, now);
    const { site, mac: devMac } = place;
    try {
      await client.run('POST /nettools/{tool}', {
        params: { tool: 'wakeonlan' },
        site,
        body: { devMac },
        signal: stop,
      });
      note(`Woke ${devMac} at ${site}`);
    } catch (error) {
      if (!stop.aborted) note(`Cannot wake ${devMac} at ${site}: ${failureOf(error)?.message ?? error}`);
    }
  }

  broker.publish(status, 'offline');
  const watching = watchSites({ client, choice, onSites, onState, onAnswer, note, signal: stop });
  // The end of one is the end of both, and each ends in order.
  const parts = [broker.run(), watching].map((part) => part.finally(() => ended.abort()));
  const ends = await Promise.allSettled(parts);
  for (const timer of [birth, listening, stale]) clearTimeout(timer);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function placeOfDevice(site: string, { key }: Device): Place | null {
  const device = deviceId(key);
  return device === null ? null : { site, device };
}
