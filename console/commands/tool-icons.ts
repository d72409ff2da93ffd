/** The tools in the order of the console, with their icons. */
import { EthernetPort, Gauge, Globe, type LucideIcon, Power, Radar, Route, ScanSearch, Search } from 'lucide-react';
import type { Tool } from '../../shared/tools/list.ts';

const ICONS: Readonly<Record<Tool, LucideIcon>> = {
  nmap: ScanSearch,
  wakeonlan: Power,
  arpscan: Radar,
  traceroute: Route,
  speedtest: Gauge,
  nslookup: Search,
  internetinfo: Globe,
  interfaces: EthernetPort,
};

export const TOOLS_IN_ORDER = Object.keys(ICONS) as readonly Tool[];

export function iconOf(tool: Tool): LucideIcon {
  return ICONS[tool];
}
