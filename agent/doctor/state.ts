/** What the agent keeps on this host: the state directory, the identity in it, and the policy. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Stats } from 'node:fs';
import { access, constants, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import { type Identity, readIdentity } from '../identity/identity.ts';
import { describePolicy } from '../jobs/policy.ts';
import { readPolicy } from '../jobs/policy-file.ts';
import { LinkState } from '../link/broker-connection.ts';
import { FORMER_IDENTITY, STATE } from '../state/layout.ts';
import { askHolder, LockedError, lockDirectory } from '../state/lock.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';

const DAY_MS = 86_400_000;
/** Of a certificate's life. An agent that runs and can be reached has renewed it long before. */
const SOON_DAYS = 7;
const ENROL = 'lanreach-agent enrol <code> --url <URL of the API>';

/** Whether its owner, and nobody else, can use the state directory and what is in it. */
export async function checkStateDirectory(directory: string): Promise<Finding> {
  const check = 'state directory';
  try {
    const folder = await stat(directory);
    if (!folder.isDirectory()) return problem(check, `${directory} is no directory`, `Remove it, then: ${ENROL}`);
    if (isOpenToOthers(folder)) {
      return problem(check, `${directory} is open to others (mode ${modeOf(folder)})`, `chmod 700 ${directory}`);
    }
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    // Other names the agent gives to nothing; here they would stand in a line that somebody pastes as root.
    for (const name of (await readdir(directory)).filter((name) => /^[\w.-]+$/.test(name)).sort()) {
      const path = join(directory, name);
      const entry = await lstat(path);
      // Of what is elsewhere nothing is to be changed from here; locks hold nothing, and may be root's.
      if (entry.isSymbolicLink() || entry.isSocket()) continue;
      if (entry.uid !== folder.uid) {
        const message = `${path} belongs to user ${entry.uid}, the directory to user ${folder.uid}`;
        return problem(check, message, `chown --recursive --reference=${directory} ${directory}/`);
      }
      if (SECRETS.includes(name) && isOpenToOthers(entry)) {
        return problem(check, `${path} is open to others (mode ${modeOf(entry)})`, `chmod 600 ${path}`);
      }
    }
    return ok(check, `${directory}, mode ${modeOf(folder)}, of user ${folder.uid}`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return problem(check, `${directory} does not exist`, ENROL);
    return problem(check, reasonOf(error), AS_OWNER);
  }
}

/** Files that hold the agent's private key. */
const SECRETS: readonly string[] = [STATE.identity, FORMER_IDENTITY.key, FORMER_IDENTITY.replacement];
const AS_OWNER = 'Ask as root, or as the user that the agent runs as';

function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/** The identity too, for what is looked at next; null when there is none to use. */
export async function checkIdentity(directory: string): Promise<{ finding: Finding; identity: Identity | null }> {
  try {
    const identity = await readIdentity(directory);
    return { finding: ok('identity', `${identity.agent}, at ${identity.broker}`), identity };
  } catch (error) {
    const isRefused = error instanceof Error && codeOf(error.cause) === 'EACCES';
    const message = error instanceof Error ? error.message : String(error);
    // Otherwise the message itself says what to do.
    return { finding: problem('identity', message, isRefused ? AS_OWNER : null), identity: null };
  }
}

/** Whether the certificate is for the key, and valid now. */
export function checkCertificate({ certificate, key }: Identity, now = Date.now()): Finding {
  const check = 'certificate';
  let certified: X509Certificate;
  let matches: boolean;
  try {
    certified = new X509Certificate(certificate);
    matches = certified.checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    return problem(check, `certificate or key cannot be read: ${reasonOf(error)}`, ENROL);
  }
  if (!matches) return problem(check, 'the certificate is for another key', ENROL);
  const [from, to] = [Date.parse(certified.validFrom), Date.parse(certified.validTo)];
  if (now < from) {
    const hint = 'Is the clock of this host right? `timedatectl` tells';
    return problem(check, `it is valid only from ${day(from)} on`, hint);
  }
  if (now > to) return problem(check, `it was valid until ${day(to)}`, ENROL);
  if (to - now < SOON_DAYS * DAY_MS) {
    const hint = `The agent renews it when it runs and can reach the API. If that does not help: ${ENROL}`;
    return warning(check, `it is valid until ${day(to)} only`, hint);
  }
  return ok(check, `for this key, valid until ${day(to)}`);
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Whether the policy can be used, and what it allows in short. */
export async function checkPolicy(stateDirectory: string, policyFile: string | null): Promise<Finding> {
  try {
    return ok('policy', describePolicy(await readPolicy(stateDirectory, policyFile)));
  } catch (error) {
    const hint = 'Without a policy that it can read the agent does not start; {} is the default policy';
    return problem('policy', error instanceof Error ? error.message : String(error), hint);
  }
}

/**
 * Whether an agent runs with this state. While none does, `hold` keeps one from starting. `connection` is what the one that
 * runs says of its own.
 */
export async function checkRunning(
  directory: string,
): Promise<{ finding: Finding; hold: { release(): void } | null; connection: Finding | null }> {
  try {
    const hold = await lockDirectory(directory, 0);
    const hint = 'sudo systemctl start lanreach-agent, or without the Debian package: lanreach-agent run';
    return { finding: warning('agent', 'no agent is running with this state', hint), hold, connection: null };
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    const connection = describeLink((await askHolder(directory))?.said ?? null);
    return { finding: ok('agent', 'it is running'), hold: null, connection };
  }
}

/** Null when nothing of use was said: an enrolment holds the state, or an agent of another version. */
function describeLink(said: string | null): Finding | null {
  const link = readLinkState(said);
  if (link === null) return null;
  if (link.connected) return ok('connection', 'the agent is connected');
  // Some reasons end with a line break, and whoever holds the lock need not be an agent.
  const reason = link.reason?.replace(/\p{Cc}+/gu, ' ').trim() ?? 'it has only just begun to try';
  return problem('connection', `the agent is not connected: ${reason}`, NOT_CONNECTED);
}

function readLinkState(said: string | null): LinkState | null {
  try {
    return LinkState.parse(JSON.parse(said ?? ''));
  } catch {
    return null;
  }
}

const NOT_CONNECTED = 'If the broker can be reached: was the agent revoked or replaced? Then stop it and enrol again';
