/** The order of the tools and their icons. One that is not named here comes last, with an icon for all. */
import {
  EthernetPort,
  Gauge,
  Globe,
  type LucideIcon,
  Power,
  Radar,
  Route,
  ScanSearch,
  Search,
  Wrench,
} from 'lucide-react';
import { TOOLS, type Tool } from '../../../shared/tools/list.ts';

const ICONS: Partial<Record<Tool, LucideIcon>> = {
  nmap: ScanSearch,
  wakeonlan: Power,
  arpscan: Radar,
  traceroute: Route,
  nslookup: Search,
  speedtest: Gauge,
  internetinfo: Globe,
  interfaces: EthernetPort,
};

const named = Object.keys(ICONS) as Tool[];

export const TOOLS_IN_ORDER: readonly Tool[] = [...named, ...TOOLS.filter((tool) => !named.includes(tool))];

export function iconOf(tool: Tool): LucideIcon {
  return ICONS[tool] ?? Wrench;
}
