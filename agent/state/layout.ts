/** The names of all files that the agent keeps in its state directory. */
import { FORMAT_FILE } from '../../shared/format.ts';
import type { AgentId } from '../../shared/identity.ts';

export const STATE = {
  /** The number of the format of all this. */
  format: FORMAT_FILE,
  /** Certificates and keys of the agent, and the address of its broker. */
  identity: 'identity.json',
  /** Written by the operator; may also be elsewhere. */
  policy: 'policy.json',
  /** Credentials for SNMP, written by the operator; may also be elsewhere. */
  snmp: 'snmp.json',
  /** The requests that the agent has accepted. */
  journal: 'journal.jsonl',
  /** What the site wants of discovery, as the agent was last told. */
  discoverySettings: 'discovery-settings.json',
  /** What the agent is to do by itself, as it was last told. */
  plan: 'plan.json',
  /** Which turns of its schedules it has begun, or missed. */
  turns: 'turns.json',
  /** What the service has not confirmed, and what it knows of checks. */
  upstream: 'upstream.log',
  /** The devices that discovery has seen. */
  knownDevices: 'known-devices.json',
  /** Folder of the programs by which the agent has replaced the one of its package: see `agent/launch/record.ts`. */
  update: 'update',
  /** Folder for the temporary files of running programs. */
  scratch: 'scratch',
} as const;

/** Suffix of a file that is being written. A file with it after a start is left over from a crash. */
export const UNFINISHED = '.tmp';

/** The socket that locks the directory. It stays when the lock is released. */
export const LOCK = 'lock';
/** The socket of a process that tries to lock the directory. */
export const DRAFT_OF_LOCK = /^lock\.[0-9a-f]{16}$/;

/** What a previous agent left in the directory: a folder of its results, and its journal. */
const PREVIOUS_AGENTS = /^previous-[a-z0-9-]+-\d{8}T\d{6}Z(?:\.jsonl)?$/;

/** @param agent null when the agent whose results they are is not known */
export function folderForResultsOf(agent: AgentId | null, now: Date): string {
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '');
  return `previous-${(agent ?? 'unknown').replace(':', '-')}-${time}`;
}

const NAMES: ReadonlySet<string> = new Set(Object.values(STATE));

/** Whether a name belongs to the agent or its operator. Locks do not count. */
export function isOfAgent(name: string): boolean {
  const finished = name.endsWith(UNFINISHED) ? name.slice(0, -UNFINISHED.length) : name;
  return NAMES.has(finished) || PREVIOUS_AGENTS.test(name);
}

/** Whether an agent has written it, and not its operator. */
export function isWrittenByAgent(name: string): boolean {
  return isOfAgent(name) && name !== STATE.policy && name !== STATE.snmp && name !== `${STATE.format}${UNFINISHED}`;
}

export function isLock(name: string): boolean {
  return name === LOCK || DRAFT_OF_LOCK.test(name);
}
