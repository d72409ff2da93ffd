/** Which devices fit a view, as the filters of `GET /devices` have it. */
import { inCategory } from '../../../shared/device-status.ts';
import type { Device } from './device.ts';
import type { DeviceView } from './view.ts';

export function filterDevices(devices: readonly Device[], view: Omit<DeviceView, 'sort'>): readonly Device[] {
  const { status, type, group, vendor, watch } = view;
  const hasText = textFilter(view.text);
  return devices.filter(
    (device) =>
      inCategory(status, device) &&
      (type === null || device.devType === type) &&
      (group === null || device.devGroup === group) &&
      (vendor === null || device.devVendor === vendor) &&
      (watch === null || (device.watch.state === 'watched') === (watch === 'watched')) &&
      hasText(device),
  );
}

/** Separates the searched fields, so that no match spans two of them. */
const BETWEEN = '\u0000';

/** Notations of a part of a MAC that differ from the stored one: `00-1e`, `001e.06aa`, `001e06`. */
const OTHER_NOTATIONS = [
  /^(?:[0-9a-f]{2}-)+[0-9a-f]{0,2}$/,
  /^[0-9a-f]{4}\.[0-9a-f]{1,4}(?:\.[0-9a-f]{0,4})?$/,
  /^[0-9a-f]{4,12}$/,
];

function textFilter(text: string): (device: Device) => boolean {
  if (text === '') return () => true;
  const needle = text.toLowerCase();
  if (needle.includes(BETWEEN)) return () => false;
  const isMac = OTHER_NOTATIONS.some((notation) => notation.test(needle));
  const bare = needle.replace(/[.-]/g, '');
  return (device) =>
    haystackOf(device).includes(needle) || (isMac && device.devMac.replaceAll(':', '').toLowerCase().includes(bare));
}

/** Made once for each device: typing a word searches several times. */
const haystacks = new WeakMap<Device, string>();

function haystackOf(device: Device): string {
  const known = haystacks.get(device);
  if (known !== undefined) return known;
  const haystack = [device.devName, device.devMac, device.devLastIP].join(BETWEEN).toLowerCase();
  haystacks.set(device, haystack);
  return haystack;
}
