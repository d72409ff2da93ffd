/** The texts of the tools. */
import type { NmapMode, NmapProtocol } from '../../../shared/tools/nmap.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'Tools',
  hint: 'They run at an agent inside the site, and see its network as devices do.',
  noAgent: 'No agent of this site is connected. What is started now fails until one is.',
  missing: (program: string) => `${program} is not installed on the host of any connected agent.`,
  choose: 'Choose a tool',
  others: 'All tools',
  unknown: 'There is no such tool.',
  run: 'Run',
  starting: 'Starting …',
  manySites: 'Run at many sites',
  every: 'Run every …',
  agent: 'Agent',
  automatic: 'Automatic',
  agentHint: 'Automatic: one in the network of the target.',
  agentOffline: (name: string) => `${name} (not connected)`,
  optional: (label: string) => `${label} (optional)`,
  fields: {
    target: 'Target',
    mode: 'Mode',
    protocol: 'Protocol',
    query: 'Address or host name',
    mac: 'MAC address',
    device: 'Device',
    ip: 'IP address',
    verify: 'Wait until the device is awake',
  },
  hints: {
    nmapTarget: 'Device, IP address, or a range such as 192.168.1.0/24.',
    target: 'Device or IP address.',
    query: 'Device, IP address or host name.',
    device: 'Name, IP or MAC address.',
    verify: 'Takes up to two minutes.',
  },
  modes: {
    fast: 'Fast: 100 usual ports',
    normal: 'Normal: 1,000 ports',
    detail: 'In detail: with versions',
    skipdiscovery: 'Without ping: 1,000 ports',
    tcp: 'TCP',
    udp: 'UDP: 100 usual ports, slow',
  } satisfies Record<NmapMode | NmapProtocol, string> as Readonly<Record<string, string>>,
  errors: {
    device: 'Name a device, or its IP or MAC address.',
    noDevice: (name: string) => `No device is called “${name}”, and it is no address.`,
    noAddress: (name: string) => `No IP address of ${name} is known.`,
  },
  running: 'Started here',
  last: 'Last result',
  lastWas: (result: string) => `Last: ${result}`,
  neverRun: 'Not run yet',
  dismiss: (command: string) => `Put away: ${command}`,
  history: 'Before',
  noHistory: 'Not run on this site yet. Results are kept for 30 days.',
  noMatch: 'None of the newest runs is one of this tool.',
  allJobs: 'All runs of this tool',
  repeat: 'Fill in',
  repeatOf: (command: string) => `Fill in ${command}`,
};

export const texts = inLanguage(english, german);
