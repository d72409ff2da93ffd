/** The names of all files in the agent's state directory. */
import { FORMAT_FILE } from '../../shared/format.ts';
import type { AgentId } from '../../shared/identity.ts';

export const STATE = {
  format: FORMAT_FILE,
  /** Certificates and keys of the agent, and the address of its broker. */
  identity: 'identity.json',
  /** Written by the operator, as `snmp`; both may be elsewhere. */
  policy: 'policy.json',
  snmp: 'snmp.json',
  /** Written by the operator's command `lanreach-agent source`. */
  sources: 'sources.json',
  journal: 'journal.jsonl',
  discoverySettings: 'discovery-settings.json',
  plan: 'plan.json',
  /** The last run of each schedule. */
  turns: 'turns.json',
  /** Unconfirmed records, and the state of checks that the service knows. */
  upstream: 'upstream.log',
  knownDevices: 'known-devices.json',
  /** Folder of installed updates: see `agent/launch/record.ts`. */
  update: 'update',
  /** Folder for temporary files of running programs. */
  scratch: 'scratch',
} as const;

/** Suffix of a file that is being written; at a start, it is left over from a crash. */
export const UNFINISHED = '.tmp';

/** The socket that locks the directory. It stays when the lock is released. */
export const LOCK = 'lock';
/** The socket of a process that tries to lock the directory. */
export const DRAFT_OF_LOCK = /^lock\.[0-9a-f]{16}$/;

/** The unsent results of a previous agent, with its journal. */
const PREVIOUS_AGENTS = /^previous-[a-z0-9-]+-\d{8}T\d{6}Z(?:\.jsonl)?$/;

/** @param agent null when it is not known */
export function folderForResultsOf(agent: AgentId | null, now: Date): string {
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '');
  return `previous-${(agent ?? 'unknown').replace(':', '-')}-${time}`;
}

const NAMES: ReadonlySet<string> = new Set(Object.values(STATE));
const OF_OPERATOR: ReadonlySet<string> = new Set([STATE.policy, STATE.snmp, STATE.sources]);

/** Whether a name belongs to the agent or its operator. Locks do not count. */
export function isOfAgent(name: string): boolean {
  const finished = name.endsWith(UNFINISHED) ? name.slice(0, -UNFINISHED.length) : name;
  return NAMES.has(finished) || PREVIOUS_AGENTS.test(name);
}

/** Whether the agent writes it, and not the operator. */
export function isWrittenByAgent(name: string): boolean {
  return isOfAgent(name) && !OF_OPERATOR.has(name) && name !== `${STATE.format}${UNFINISHED}`;
}

export function isLock(name: string): boolean {
  return name === LOCK || DRAFT_OF_LOCK.test(name);
}
