/** The commands of the tools on the command line, without what the tools declare: its help loads nothing else of them. */
import type { tools } from './list.ts';

export type ToolKey = keyof typeof tools;

interface ToolCommand {
  command: string;
  description: string;
  /** A command line for the help, without `lanreach`. */
  example?: string;
}

export const TOOL_COMMANDS: Readonly<Record<ToolKey, ToolCommand>> = {
  wakeOnLan: { command: 'wake', description: 'send Wake-on-LAN packets to a device', example: 'wake nas --wait' },
  traceroute: { command: 'traceroute', description: 'show the routers between the agent and an address' },
  speedtest: { command: 'speedtest', description: 'measure the internet connection' },
  nslookup: { command: 'nslookup', description: 'resolve an address or a host name' },
  nmap: {
    command: 'nmap',
    description: 'scan the ports of an address or a range',
    example: 'nmap 192.168.1.0/24 --mode fast',
  },
  internetInfo: { command: 'internet', description: 'show public address, city, country and organisation' },
  interfaces: { command: 'interfaces', description: "list the network interfaces of the agent's host" },
  arpscan: { command: 'arpscan', description: 'discover the devices of the LAN now, if discovery is on' },
};

export const TOOL_KEYS = Object.keys(TOOL_COMMANDS) as ToolKey[];
