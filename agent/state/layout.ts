/** The names of everything that the agent keeps in its state directory. */
import type { AgentId } from '../../shared/identity.ts';

export const STATE = {
  /** Certificates and keys of the agent, and where it connects to. */
  identity: 'identity.json',
  /** The operator's; it may also lie elsewhere. */
  policy: 'policy.json',
  /** The requests that the agent has accepted. */
  journal: 'journal.jsonl',
  /** Folder of the results that are not known to be stored. */
  spool: 'spool',
  /** Folder of the files of programs that run. */
  scratch: 'scratch',
} as const;

/** Up to version 0.1 the identity was spread over these, beside an `identity.json` without certificates and keys. */
export const FORMER_IDENTITY = {
  key: 'key.pem',
  certificate: 'cert.pem',
  authority: 'ca.pem',
  /** An identity that had not been spread over the other files yet. */
  replacement: 'new-identity.json',
} as const;

/** Ends the name of a file that is being written. What bears it after a start is left over from a crash. */
export const UNFINISHED = '.tmp';

/** The locks of the directory, also those that versions up to 0.1 took while they changed the identity. */
export const LOCK_FILE = /^(?:identity-)?lock\.(?:\d+|new-[0-9a-f]+)$/;

/** Begins the names of what another agent has left in the directory: a folder of its results, and its journal. */
const ANOTHER_AGENTS = /^former-[a-z0-9-]+-\d{8}T\d{6}Z(?:\.jsonl)?$/;

/** @param agent null when it is not known whose results they are */
export function folderForResultsOf(agent: AgentId | null, now: Date): string {
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '');
  return `former-${(agent ?? 'unknown').replace(':', '-')}-${time}`;
}

const NAMES: ReadonlySet<string> = new Set([...Object.values(STATE), ...Object.values(FORMER_IDENTITY)]);

/** Whether the agent, or its operator for it, has put something of this name there. Locks do not count. */
export function isOfAgent(name: string): boolean {
  const finished = name.endsWith(UNFINISHED) ? name.slice(0, -UNFINISHED.length) : name;
  return NAMES.has(finished) || ANOTHER_AGENTS.test(name);
}
