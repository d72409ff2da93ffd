/** What can be done with a device out of the search, by its name in front of that of the device: `wake nas`. */
import texts from 'messages:palette';
import { Copy, type LucideIcon, MonitorSmartphone, Power, Radar, Route } from 'lucide-react';
import { startCommand } from '../api/client.ts';
import type { Rights } from '../api/rights.ts';
import { copyAndTell } from '../ui/copy-button.tsx';
import { showProblem, showToast } from '../ui/toast.tsx';
import type { FoundDevice } from './found.ts';

type VerbName = 'open' | 'wake' | 'scan' | 'trace' | 'copyIp' | 'copyMac';

interface Verb {
  name: VerbName;
  icon: LucideIcon;
  needsNettools?: boolean;
  /** Whether it can be done with this one. */
  fits(device: FoundDevice): boolean;
  /** Nothing: it only leads to the device. */
  run?(device: FoundDevice, navigate: (to: string) => void): Promise<void>;
}

const hasMac = ({ devMac }: FoundDevice) => /^[0-9A-F]{2}:/.test(devMac);
const hasIp = ({ devLastIP }: FoundDevice) => devLastIP !== '';

const VERBS: readonly Verb[] = [
  { name: 'open', icon: MonitorSmartphone, fits: () => true },
  {
    name: 'wake',
    icon: Power,
    needsNettools: true,
    fits: hasMac,
    run: (device, go) => start(device, 'wakeonlan', { devMac: device.devMac, verify: true }, texts.started.wake, go),
  },
  {
    name: 'scan',
    icon: Radar,
    needsNettools: true,
    fits: hasIp,
    run: (device, go) => start(device, 'nmap', { scan: device.devLastIP, mode: 'fast' }, texts.started.scan, go),
  },
  {
    name: 'trace',
    icon: Route,
    needsNettools: true,
    fits: hasIp,
    run: (device, go) => start(device, 'traceroute', { devLastIP: device.devLastIP }, texts.started.trace, go),
  },
  {
    name: 'copyIp',
    icon: Copy,
    fits: hasIp,
    run: ({ devLastIP }) => copyAndTell(devLastIP, texts.copied({ text: devLastIP })),
  },
  {
    name: 'copyMac',
    icon: Copy,
    fits: hasMac,
    run: ({ devMac }) => copyAndTell(devMac, texts.copied({ text: devMac })),
  },
];

/** Those that this token may do. */
export function verbsFor(rights: Pick<Rights, 'may'>): readonly Verb[] {
  return VERBS.filter(({ needsNettools }) => !needsNettools || rights.may('nettools:run'));
}

/** What a person types in front of the name of a device. The first one is shown. */
export function wordsFor(name: VerbName): string[] {
  return texts.verbWords[name].split(', ');
}

/** The verb at the beginning of what is typed, and what is left of that: `copy ip na` is `copyIp` of `na`. */
export function verbIn<V extends { name: VerbName }>(
  query: string,
  verbs: readonly V[],
): { verb: V; rest: string } | null {
  const text = query.trimStart();
  let longest = '';
  let found: V | null = null;
  for (const verb of verbs) {
    for (const word of wordsFor(verb.name)) {
      const isFirst = text.toLowerCase().startsWith(`${word} `);
      if (isFirst && word.length > longest.length) [longest, found] = [word, verb];
    }
  }
  return found === null ? null : { verb: found, rest: text.slice(longest.length).trim() };
}

export function nameOf({ devName, devLastIP, key }: Pick<FoundDevice, 'devName' | 'devLastIP' | 'key'>): string {
  return devName || devLastIP || key;
}

async function start(
  device: FoundDevice,
  tool: string,
  fields: object,
  saying: (values: { name: string }) => string,
  navigate: (to: string) => void,
): Promise<void> {
  try {
    const { id } = await startCommand(tool, device.site, fields);
    const run = () => navigate(`/sites/${device.site}/runs/${encodeURIComponent(id)}`);
    showToast(saying({ name: nameOf(device) }), { label: texts.show, run });
  } catch (error) {
    showProblem(error);
  }
}
