/** The commands about a device, said once: for its page, the list, and the search. */
import { type LucideIcon, Power, Radar, Route } from 'lucide-react';
import type { Tool } from '../../shared/tools/list.ts';

interface About {
  /** May be empty, or the word `Internet`. */
  devMac: string;
  devLastIP: string;
}

interface DeviceCommand {
  tool: Tool;
  icon: LucideIcon;
  fits: (device: About) => boolean;
  fieldsOf: (device: About) => object;
}

export const canWake = ({ devMac }: Pick<About, 'devMac'>) => /^[0-9A-F]{2}:/.test(devMac);
export const canScan = ({ devLastIP }: Pick<About, 'devLastIP'>) => devLastIP !== '';

export const DEVICE_COMMANDS = {
  wake: { tool: 'wakeonlan', icon: Power, fits: canWake, fieldsOf: ({ devMac }) => ({ devMac, verify: true }) },
  scan: { tool: 'nmap', icon: Radar, fits: canScan, fieldsOf: ({ devLastIP }) => ({ scan: devLastIP, mode: 'fast' }) },
  trace: { tool: 'traceroute', icon: Route, fits: canScan, fieldsOf: ({ devLastIP }) => ({ devLastIP }) },
} as const satisfies Record<string, DeviceCommand>;
