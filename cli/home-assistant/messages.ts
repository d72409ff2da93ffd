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
  /** Whether trackers also have a state topic, which older releases of Home Assistant need and newer ones warn of. */
  hasTrackerState: boolean;
  /** Whether devices have a button that wakes them. */
  hasWake: boolean;
}

/** Topic and payload of retained messages: the configuration first. */
export type Messages = readonly (readonly [topic: string, payload: string])[];

const COUNT = { stat_cla: 'measurement' };
/** Disabled until a person wants it. */
const RARE = { ...COUNT, en: false };
const SPEED = { ...RARE, dev_cla: 'data_rate', unit_of_meas: 'Mbit/s' };

type Sensor = readonly [name: string, form: object, value: (site: SiteOverview) => number | undefined];

/** The sensors of a site. One whose value is not known now keeps its last one. */
const SENSORS: Readonly<Record<string, Sensor>> = {
  devices: ['Devices', COUNT, ({ devices }) => devices?.my],
  online: ['Online', COUNT, ({ devices }) => devices?.online],
  offline: ['Offline', COUNT, ({ devices }) => devices?.offline],
  down: ['Down', COUNT, ({ devices }) => devices?.down],
  new: ['New', COUNT, ({ devices }) => devices?.new],
  favorites: ['Favorites', RARE, ({ devices }) => devices?.favorites],
  archived: ['Archived', RARE, ({ devices }) => devices?.archived],
  outages: ['Outages', COUNT, ({ outages }) => outages.open],
  'checks-down': ['Failing checks', COUNT, ({ checksDown }) => checksDown],
  download: ['Download', SPEED, ({ internet }) => internet.speed?.downMbps],
  upload: ['Upload', SPEED, ({ internet }) => internet.speed?.upMbps],
  ping: ['Ping', { ...RARE, dev_cla: 'duration', unit_of_meas: 'ms' }, ({ internet }) => internet.speed?.pingMs],
};

/** The states of each. Without its configuration they are removed as well. */
const LEAVES = {
  site: ['agent', 'internet', ...Object.keys(SENSORS)],
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
        ? { wake: component('wake', 'button', { name: 'Wake', cmd_t: topic('wake'), pl_prs: PRESS, en: false }) }
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
  const place = { site: site.id, device: null };
  const topic = (leaf: string) => topicOf(form, place, leaf);
  const component = (leaf: string, p: string, name: string, rest: object) => ({
    [leaf]: { p, uniq_id: `${objectId(form, place)}_${leaf}`, name, stat_t: topic(leaf), ...rest },
  });
  const sensors = Object.entries(SENSORS);
  const config = {
    dev: {
      ...{ ids: [objectId(form, place)], name: text(site.name) || site.id, mf: ORIGIN },
      ...consoleLink(form, `sites/${site.id}`),
    },
    ...common(form, []),
    cmps: {
      ...component('agent', 'binary_sensor', 'Agent', { dev_cla: 'connectivity' }),
      ...component('internet', 'binary_sensor', 'Internet', { dev_cla: 'connectivity' }),
      ...Object.assign({}, ...sensors.map(([leaf, [name, rest]]) => component(leaf, 'sensor', name, rest))),
    },
  };
  return [
    [configTopic(form, place), JSON.stringify(config)],
    [topic('agent'), onOff(site.agents.some(({ state }) => state === 'online'))],
    [topic('internet'), onOff(site.internet.lostSince === null)],
    ...sensors.flatMap(([leaf, [, , read]]) => {
      const value = read(site);
      return value === undefined ? [] : [[topic(leaf), String(value)] as const];
    }),
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

/** What a button sends. */
export const PRESS = 'PRESS';

/** By it a bridge knows configurations of its own. */
export const ORIGIN = 'LanReach';

const consoleLink = ({ console }: Form, route: string) => (console === null ? {} : { cu: `${console}#/${route}` });

const whereKnown = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([, one]) => one !== ''));

const onOff = (value: boolean) => (value ? 'ON' : 'OFF');

const MOST_CHARACTERS = 100;

/** Texts of devices: on one line, without what a person does not see. */
const text = (given: string): string => startOf(oneLine(legible(given)).trim(), MOST_CHARACTERS);
