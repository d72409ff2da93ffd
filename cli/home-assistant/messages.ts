/**
 * What Home Assistant learns of a site and its devices, in the forms of its MQTT discovery: one configuration for each device
 * (https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload), and topics with the states.
 */
import type * as z from 'zod';
import type { ListedDevice } from '../../shared/api/device-list.ts';
import type { SiteOverview } from '../../shared/api/overview.ts';
import { statusOf } from '../../shared/device-status.ts';
import { legible, oneLine, startOf } from '../../shared/text.ts';
import { configTopic, deviceId, objectId, type Place, type Prefixes, statusTopic, topicOf } from './names.ts';

export type Device = z.infer<typeof ListedDevice>;

export interface Form extends Prefixes {
  version: string;
  /** The URL of the console; null where it leads to this host alone. */
  console: string | null;
  /** The zone in which a device that is online counts as present. */
  zone: string;
  /** Whether trackers also have a state topic, which Home Assistant before 2026.6 needs and later ones warn of. */
  hasTrackerState: boolean;
  /** Whether devices have a button that wakes them. */
  hasWake: boolean;
}

/** Topic and payload of retained messages: the configuration first. */
export type Messages = readonly (readonly [topic: string, payload: string])[];

/** The states of each. Without its configuration they are removed as well. */
const LEAVES = {
  site: [
    ...['agent', 'internet', 'devices', 'online', 'offline', 'down', 'new', 'favorites', 'archived'],
    ...['outages', 'checks-down', 'download', 'upload', 'ping'],
  ],
  device: ['availability', 'presence', 'tracker', 'online', 'down'],
};

/** Every topic that may hold something of a site or a device: the configuration first. */
export function topicsOf(form: Prefixes, place: Place): string[] {
  const leaves = place.device === null ? LEAVES.site : LEAVES.device;
  return [configTopic(form, place), ...leaves.map((leaf) => topicOf(form, place, leaf))];
}

export function deviceMessages(form: Form, site: string, device: Device): Messages {
  const id = deviceId(device.key);
  if (id === null) return [];
  const place = { site, device: id };
  const topic = (leaf: string) => topicOf(form, place, leaf);
  const component = (leaf: string, p: string, rest: object) => ({
    p,
    uniq_id: `${objectId(form, place)}_${leaf}`,
    ...rest,
  });
  const macs = [device.devMac, ...device.devOtherMACs.split(',')].filter((mac) =>
    /^(?:[\dA-F]{2}:){5}[\dA-F]{2}$/.test(mac),
  );
  const status = statusOf(device);
  const isOnline = status === 'online';
  const config = {
    dev: {
      ids: [objectId(form, place)],
      ...(macs.length === 0 ? {} : { cns: macs.map((mac) => ['mac', mac.toLowerCase()]) }),
      name: text(device.devName) || device.devMac || id,
      ...whereKnown({ mf: text(device.devVendor), mdl: text(device.devModel) }),
      ...consoleLink(form, `sites/${site}/devices/${encodeURIComponent(device.key)}`),
    },
    ...common(form, [topic('availability')]),
    cmps: {
      tracker: component('tracker', 'device_tracker', {
        name: null,
        src_type: 'router',
        json_attr_t: topic('presence'),
        ...(form.hasTrackerState
          ? { stat_t: topic('tracker'), payload_home: 'home', payload_not_home: 'not_home' }
          : {}),
      }),
      online: component('online', 'binary_sensor', {
        name: 'Online',
        dev_cla: 'connectivity',
        stat_t: topic('online'),
      }),
      down: component('down', 'binary_sensor', { name: 'Down', dev_cla: 'problem', stat_t: topic('down') }),
      ...(form.hasWake && macs.length > 0
        ? { wake: component('wake', 'button', { name: 'Wake', cmd_t: topic('wake'), en: false }) }
        : {}),
    },
  };
  return [
    [configTopic(form, place), JSON.stringify(config)],
    // Without an agent that watches it, its last state says nothing.
    [topic('availability'), device.watch.state === 'watched' ? 'online' : 'offline'],
    [topic('presence'), JSON.stringify({ in_zones: isOnline ? [form.zone] : [] })],
    ...(form.hasTrackerState ? [[topic('tracker'), isOnline ? 'home' : 'not_home'] as const] : []),
    [topic('online'), onOff(isOnline)],
    [topic('down'), onOff(status === 'down')],
  ];
}

export function siteMessages(form: Form, site: SiteOverview): Messages {
  const { devices, internet, outages } = site;
  const place = { site: site.id, device: null };
  const topic = (leaf: string) => topicOf(form, place, leaf);
  const component = (leaf: string, p: string, name: string, rest: object) => ({
    [leaf]: { p, uniq_id: `${objectId(form, place)}_${leaf}`, name, stat_t: topic(leaf), ...rest },
  });
  const count = (leaf: string, name: string, en = true) =>
    component(leaf, 'sensor', name, { stat_cla: 'measurement', ...(en ? {} : { en }) });
  const speed = (leaf: string, name: string) =>
    component(leaf, 'sensor', name, {
      dev_cla: 'data_rate',
      unit_of_meas: 'Mbit/s',
      stat_cla: 'measurement',
      en: false,
    });
  const config = {
    dev: {
      ids: [objectId(form, place)],
      name: text(site.name) || site.id,
      mf: 'LanReach',
      ...consoleLink(form, `sites/${site.id}`),
    },
    ...common(form, []),
    cmps: {
      ...component('agent', 'binary_sensor', 'Agent', { dev_cla: 'connectivity' }),
      ...component('internet', 'binary_sensor', 'Internet', { dev_cla: 'connectivity' }),
      ...count('devices', 'Devices'),
      ...count('online', 'Online'),
      ...count('offline', 'Offline'),
      ...count('down', 'Down'),
      ...count('new', 'New'),
      ...count('favorites', 'Favorites', false),
      ...count('archived', 'Archived', false),
      ...count('outages', 'Outages'),
      ...count('checks-down', 'Failing checks'),
      ...speed('download', 'Download'),
      ...speed('upload', 'Upload'),
      ...component('ping', 'sensor', 'Ping', {
        ...{ dev_cla: 'duration', unit_of_meas: 'ms', stat_cla: 'measurement', en: false },
      }),
    },
  };
  const numbers = {
    devices: devices?.my,
    online: devices?.online,
    offline: devices?.offline,
    down: devices?.down,
    new: devices?.new,
    favorites: devices?.favorites,
    archived: devices?.archived,
    outages: outages.open,
    'checks-down': site.checksDown,
    download: internet.speed?.downMbps,
    upload: internet.speed?.upMbps,
    ping: internet.speed?.pingMs,
  };
  return [
    [configTopic(form, place), JSON.stringify(config)],
    [topic('agent'), onOff(site.agents.some(({ state }) => state === 'online'))],
    [topic('internet'), onOff(internet.lostSince === null)],
    // What is not known now keeps its last value.
    ...Object.entries(numbers).flatMap(([leaf, value]) =>
      value === undefined ? [] : [[topic(leaf), String(value)] as const],
    ),
  ];
}

/** What every configuration has: its origin, and on what its entities depend besides this bridge. */
function common(form: Form, others: readonly string[]) {
  return {
    o: { name: ORIGIN, sw: form.version, ...(form.console === null ? {} : { url: form.console }) },
    avty: [statusTopic(form), ...others].map((t) => ({ t })),
    avty_mode: 'all',
    qos: 1,
  };
}

/** By it a bridge knows configurations of its own. */
export const ORIGIN = 'LanReach';

const consoleLink = ({ console }: Form, route: string) => (console === null ? {} : { cu: `${console}#/${route}` });

const whereKnown = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([, one]) => one !== ''));

const onOff = (value: boolean) => (value ? 'ON' : 'OFF');

const MOST_CHARACTERS = 100;

/** Texts of devices: on one line, without what a person does not see. */
const text = (given: string): string => startOf(oneLine(legible(given)).trim(), MOST_CHARACTERS);
