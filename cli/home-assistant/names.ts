/** Topics and ids. They are made of prefixes, site ids, MACs and UUIDs alone, never of names: those come from devices. */

export interface Prefixes {
  /** Of the bridge's own topics and ids. */
  own: string;
  /** Of Home Assistant's discovery. */
  discovery: string;
}

/** Letters, digits and hyphens: an underscore separates the parts of an id. */
export const PREFIX = /^[a-zA-Z0-9-]{1,32}$/;

const DEVICE_ID = '[0-9a-f]{12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|internet';
const IS_DEVICE_ID = new RegExp(`^(?:${DEVICE_ID})$`);

/** What topics and ids call a device: the digits of its MAC, its UUID, or `internet`; null for any other key. */
export function deviceId(key: string): string | null {
  const id = key.replace(/^~/, '').replaceAll(':', '').toLowerCase();
  return IS_DEVICE_ID.test(id) ? id : null;
}

/** A device of a site, or with null the site. */
export interface Place {
  site: string;
  device: string | null;
}

const pathOf = ({ site, device }: Place) => (device === null ? [site] : [site, device]);

export const objectId = ({ own }: Prefixes, place: Place): string => [own, ...pathOf(place)].join('_');

export const topicOf = ({ own }: Prefixes, place: Place, leaf: string): string =>
  [own, ...pathOf(place), leaf].join('/');

export const configTopic = (prefixes: Prefixes, place: Place): string =>
  `${prefixes.discovery}/device/${objectId(prefixes, place)}/config`;

export const statusTopic = ({ own }: Prefixes): string => `${own}/status`;

/** The place of a configuration that a bridge with these prefixes has published; null for any other topic. */
export function placeOfConfig({ own, discovery }: Prefixes, topic: string): Place | null {
  const pattern = new RegExp(`^${discovery}/device/${own}_([a-z0-9-]{1,32})(?:_(${DEVICE_ID}))?/config$`);
  const [, site, device = null] = pattern.exec(topic) ?? [];
  return site === undefined ? null : { site, device };
}
