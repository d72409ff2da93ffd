/** What devices and cards are called, and where they lead. */
import type { DeviceStatus } from '../../../shared/device.ts';
import { statusTexts } from '../../text/texts.ts';
import type { Tone } from '../../ui/status.tsx';
import { texts } from './texts.ts';
import { type Branch, type TopologyDevice, titleOf, WITHOUT_PARENT } from './tree.ts';

export const TONES: Record<DeviceStatus, Tone> = { online: 'good', down: 'bad', offline: 'calm', archived: 'calm' };

/** `nas, NAS, 192.168.1.20, online`. */
export function aboutText(device: TopologyDevice): string {
  const title = titleOf(device);
  const ip = device.ip === title ? '' : device.ip;
  return [title, device.type, ip, statusTexts[device.status]].filter((part) => part !== '').join(', ');
}

export function titleOfBranch({ key, device }: Branch): string {
  if (device !== null) return titleOf(device);
  return key === WITHOUT_PARENT ? texts.withoutParent : texts.internet;
}

export function hrefOf(site: string, key: string): string {
  return `#/sites/${site}/devices/${encodeURIComponent(key)}`;
}
