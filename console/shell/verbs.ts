/** Verbs of the search, typed in front of the name of a device: `wake nas`. */
import texts from 'messages:palette';
import { Copy, type LucideIcon, MonitorSmartphone } from 'lucide-react';
import { startCommand } from '../api/client.ts';
import type { Rights } from '../api/rights.ts';
import { canScan, canWake, DEVICE_COMMANDS } from '../commands/device-commands.ts';
import { copyAndTell } from '../ui/copy-button.tsx';
import { showProblem, showToast } from '../ui/toast.tsx';
import type { FoundDevice } from './found.ts';

type CommandName = keyof typeof DEVICE_COMMANDS;
type VerbName = CommandName | 'open' | 'copyIp' | 'copyMac';

interface Verb {
  name: VerbName;
  icon: LucideIcon;
  needsNettools?: boolean;
  fits(device: FoundDevice): boolean;
  /** Undefined: it only leads to the device. */
  run?(device: FoundDevice, navigate: (to: string) => void): Promise<void>;
}

const VERBS: readonly Verb[] = [
  { name: 'open', icon: MonitorSmartphone, fits: () => true },
  ...(['wake', 'scan', 'trace'] as const).map(command),
  copy('copyIp', 'devLastIP', canScan),
  copy('copyMac', 'devMac', canWake),
];

function command(name: CommandName): Verb {
  const { tool, icon, fits, fieldsOf } = DEVICE_COMMANDS[name];
  async function run(device: FoundDevice, navigate: (to: string) => void): Promise<void> {
    try {
      const { id } = await startCommand(tool, device.site, fieldsOf(device));
      const show = () => navigate(`/sites/${device.site}/runs/${encodeURIComponent(id)}`);
      showToast(texts.started[name]({ name: nameOf(device) }), { label: texts.show, run: show });
    } catch (error) {
      showProblem(error);
    }
  }
  return { name, icon, needsNettools: true, fits, run };
}

function copy(name: VerbName, field: 'devLastIP' | 'devMac', fits: Verb['fits']): Verb {
  return { name, icon: Copy, fits, run: (device) => copyAndTell(device[field], texts.copied({ text: device[field] })) };
}

/** The verbs that this token may use. */
export function verbsFor(rights: Pick<Rights, 'may'>): readonly Verb[] {
  return VERBS.filter(({ needsNettools }) => !needsNettools || rights.may('nettools:run'));
}

/** The words that a person may type for it. The list shows the first. */
export function wordsFor(name: VerbName): string[] {
  return texts.verbWords[name].split(', ');
}

/** The verb at the beginning of the query, and the rest: `copy ip na` is `copyIp` of `na`. */
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
