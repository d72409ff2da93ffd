/** What devices and cards are called, and where they lead. */
import type { DeviceStatus } from '../../../shared/device.ts';
import { statusTexts } from '../../text/texts.ts';
import type { Tone } from '../../ui/status.tsx';
import { networkOfLane } from './lanes.ts';
import { texts } from './texts.ts';
import { type Branch, type TopologyDevice, titleOf, WITHOUT_PARENT } from './tree.ts';
import type { Card } from './view.ts';

export const TONES: Record<DeviceStatus, Tone> = { online: 'good', down: 'bad', offline: 'calm', archived: 'calm' };

/** `nas, 192.168.1.20, NAS, online, port 7`: as it is seen, and then what is not. */
export function aboutText(device: TopologyDevice): string {
  const title = titleOf(device);
  const ip = device.ip === title ? '' : device.ip;
  const port = device.parentPort === '' ? '' : texts.onPort(device.parentPort);
  return [title, ip, device.type, statusTexts[device.status], port].filter((part) => part !== '').join(', ');
}

/** `attic-ap, 192.168.1.3, AP, online, 30 devices · 3 down`: a card as it is read out. */
export function aboutCard({ branch, counts }: Card): string {
  const title = branch.device === null ? titleOfBranch(branch) : aboutText(branch.device);
  return `${title}, ${texts.counts(counts.devices, counts.down)}`;
}

export function titleOfBranch({ key, device }: Pick<Branch, 'key' | 'device'>): string {
  if (device !== null) return titleOf(device);
  const network = networkOfLane(key);
  if (network !== null) return network === '' ? texts.withoutAddress : network;
  return key === WITHOUT_PARENT ? texts.withoutParent : texts.internet;
}

/** Below the title of a device; empty when that is its address already. */
export function addressOf(device: TopologyDevice): string {
  return device.ip === titleOf(device) ? '' : device.ip;
}

export function hrefOf(site: string, key: string): string {
  return `#/sites/${site}/devices/${encodeURIComponent(key)}`;
}
