/** What ways of looking for devices have in common. */
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { formatIp, parseIp, parseMac } from '../../shared/network.ts';
import type { RunProcess } from '../host/run-process.ts';

/** A sign that a device is there. */
export interface Evidence {
  mac: string;
  /** In canonical form, without a zone. */
  ip: string;
  /** Whether the device has answered in this cycle. What is not fresh was known to the kernel, and is half a minute old. */
  fresh: boolean;
}

/** What looking for devices needs of the agent. */
export interface ScanContext {
  run: RunProcess;
  signal: AbortSignal;
}

/** The evidence that a line of an answer gives; null when the line is no such thing, or names no device. */
export function evidenceOf(ip: string, mac: string, fresh: boolean): Evidence | null {
  const [address, card] = [parseIp(ip.split('%')[0] ?? ''), parseMac(mac)];
  if (address === null || card === null || !isDeviceMac(card)) return null;
  return { ip: formatIp(address), mac: card, fresh };
}
