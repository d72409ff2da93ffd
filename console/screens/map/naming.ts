/** Names and links of devices and cards. */
import texts from 'messages:map';
import statusTexts from 'messages:status';
import type { DeviceStatus } from '../../../shared/device.ts';
import type { Tone } from '../../ui/status.tsx';
import { nameOfLane, WITHOUT_POINT } from './lanes.ts';
import { type Branch, type TopologyDevice, titleOf, WITHOUT_PARENT } from './tree.ts';

export const TONES: Record<DeviceStatus, Tone> = { online: 'good', down: 'bad', offline: 'calm', archived: 'calm' };

/** `nas, 192.168.1.20, NAS, online, port 7`. */
export const aboutText = (device: TopologyDevice): string => `${titleOf(device)}, ${unseenBesideName(device)}`;

/** For screen readers: `AP, online, port 3, 30 devices · 3 down`. */
export function unseenText({ device, counts }: Branch): string {
  const said = device === null ? [] : unseenOf(device);
  return [...said, texts.counts({ count: counts.devices, down: counts.down })].filter((part) => part !== '').join(', ');
}

const unseenOf = (device: TopologyDevice): string[] => [device.type, statusTexts[device.status], portText(device)];

export function portText({ parentPort }: TopologyDevice): string {
  return parentPort === '' ? '' : texts.onPort({ port: parentPort });
}

export function unseenBesideName(device: TopologyDevice): string {
  return [addressOf(device), ...unseenOf(device)].filter((part) => part !== '').join(', ');
}

export function titleOfBranch({ key, device }: Pick<Branch, 'key' | 'device'>): string {
  if (device !== null) return titleOf(device);
  const lane = nameOfLane(key);
  if (lane === WITHOUT_POINT) return texts.withoutPoint;
  if (lane !== null) return lane === '' ? texts.withoutAddress : lane;
  return key === WITHOUT_PARENT ? texts.withoutParent : texts.internet;
}

/** Empty when it is the title already. */
export const addressOf = (device: TopologyDevice): string => (device.ip === titleOf(device) ? '' : device.ip);

export const hrefOf = (site: string, key: string): string => `#/sites/${site}/devices/${encodeURIComponent(key)}`;
