/** Checks the agent's files: the state directory, the identity in it, and the policy. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Stats } from 'node:fs';
import { access, constants, lstat, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import { OtherFormat } from '../../shared/format.ts';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import { parseJson } from '../../shared/json.ts';
import { formatRange } from '../../shared/network.ts';
import { DAY_MS } from '../../shared/time.ts';
import { reasonOf } from '../host/fetched.ts';
import { type Identity, readIdentity } from '../identity/identity.ts';
import { describePolicy, readPolicy } from '../jobs/policy.ts';
import { LinkState } from '../link/broker-connection.ts';
import { readSnmpFile } from '../recognition/snmp-file.ts';
import { STATE } from '../state/layout.ts';
import { LockedError, lockDirectory, queryHolder } from '../state/lock.ts';
import { requireStateFormat } from '../state/ownership.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const ENROL = 'lanreach-agent enrol <code> --url <URL of the API>';

/** Whether the owner of the state directory, and no other user, can use it and the files in it. */
export async function checkStateDirectory(path: string): Promise<Finding> {
  const directory = resolve(path);
  const check = 'state directory';
  try {
    const folder = await stat(path);
    if (!folder.isDirectory()) return problem(check, `${directory} is not a directory`, `Remove it, then: ${ENROL}`);
    requireStateFormat(path);
    if (isOpenToOthers(folder)) {
      return problem(check, `${directory} is open to others (mode ${modeOf(folder)})`, `chmod 700 ${directory}`);
    }
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    // Skips names with other characters: the agent uses none, and root may paste the printed command.
    for (const name of (await readdir(path)).filter((name) => /^[\w.-]+$/.test(name)).sort()) {
      const file = join(path, name);
      const entry = await lstat(file);
      // A link may lead elsewhere, where the hint must change nothing. A socket is a lock, which may be root's.
      if (entry.isSymbolicLink() || entry.isSocket()) continue;
      if (entry.uid !== folder.uid) {
        const message = `${directory}/${name} belongs to user ${entry.uid}, the directory to user ${folder.uid}`;
        return problem(check, message, `chown --recursive --reference=${directory} ${directory}/`);
      }
      if (name === STATE.identity && isOpenToOthers(entry)) {
        const message = `${directory}/${name} is open to others (mode ${modeOf(entry)})`;
        return problem(check, message, `chmod 600 ${directory}/${name}`);
      }
    }
    return ok(check, `${directory}, mode ${modeOf(folder)}, of user ${folder.uid}`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return problem(check, `${directory} does not exist`, ENROL);
    if (error instanceof OtherFormat) return problem(check, error.message, null);
    return problem(check, reasonOf(error), AS_OWNER);
  }
}

const AS_OWNER = 'Run the doctor as root, or as the user that the agent runs as';

function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/** Returns the identity for the further checks; null without a valid one. */
export async function checkIdentity(directory: string): Promise<{ finding: Finding; identity: Identity | null }> {
  try {
    const identity = await readIdentity(directory);
    const { agent, stage, broker } = identity;
    // Several stages share the broker of a region.
    const ofStage = stage === LOCAL_STAGE ? '' : ` of the stage ${stage}`;
    return { finding: ok('identity', `${agent}${ofStage}, at ${broker}`), identity };
  } catch (error) {
    const isRefused = error instanceof Error && codeOf(error.cause) === 'EACCES';
    const message = error instanceof Error ? error.message : String(error);
    // The message of an IdentityError contains the hint.
    return { finding: problem('identity', message, isRefused ? AS_OWNER : null), identity: null };
  }
}

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
  if (!matches) return problem(check, 'the certificate does not match the private key', ENROL);
  const [from, to] = [Date.parse(certified.validFrom), Date.parse(certified.validTo)];
  if (now < from) {
    const hint = 'Is the clock of this host correct? `timedatectl` shows it';
    return problem(check, `the certificate is not valid before ${day(from)}`, hint);
  }
  if (now > to) return problem(check, `the certificate expired on ${day(to)}`, ENROL);
  // A working agent renews it long before.
  if (to - now < 7 * DAY_MS) {
    const hint = `A running agent renews it, if it can reach the API. If that does not help: ${ENROL}`;
    return warning(check, `the certificate expires on ${day(to)}`, hint);
  }
  return ok(check, `matches the private key, valid until ${day(to)}`);
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export async function checkPolicy(stateDirectory: string, policyFile: string | null): Promise<Finding> {
  try {
    return ok('policy', describePolicy(await readPolicy(stateDirectory, policyFile)));
  } catch (error) {
    const hint = 'The agent does not start with an invalid policy. Correct the file; {} stands for the default policy';
    return problem('policy', error instanceof Error ? error.message : String(error), hint);
  }
}

/** Whether the credentials for SNMP are valid; null without any. */
export async function checkSnmp(path: string): Promise<Finding | null> {
  try {
    const credentials = await readSnmpFile(path);
    if (credentials === null) return null;
    const networks = credentials.flatMap((each) => each.networks.map(formatRange));
    return ok('snmp', `${resolve(path)}, for ${networks.join(', ') || 'no network'}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return warning('snmp', message, 'Until then the agent sends no SNMP queries');
  }
}

/** Whether an agent uses this directory: if not, `hold` prevents a start; if so, `connection` is its report. */
export async function checkRunning(
  directory: string,
): Promise<{ finding: Finding; hold: { release(): void } | null; connection: Finding | null }> {
  try {
    const hold = await lockDirectory(directory, 0);
    const hint = 'sudo systemctl start lanreach-agent, or without the Debian package: lanreach-agent run';
    return { finding: warning('agent', 'no agent is running with this state directory', hint), hold, connection: null };
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    const connection = describeLink((await queryHolder(directory))?.status ?? '');
    return { finding: ok('agent', 'it is running'), hold: null, connection };
  }
}

/** Null for an invalid report: the holder is an enrolment, or an agent of another version. */
function describeLink(status: string): Finding | null {
  const { data: link } = LinkState.safeParse(parseJson(status));
  if (link === undefined) return null;
  if (link.connected) return ok('connection', 'the agent is connected');
  // Some error messages end with a line break, and the holder of the lock might not be an agent at all.
  const reason = link.reason?.replace(/\p{Cc}+/gu, ' ').trim() ?? 'the first attempt has not ended yet';
  return problem('connection', `the agent is not connected: ${reason}`, NOT_CONNECTED);
}

const NOT_CONNECTED =
  'If the broker can be reached, the agent may have been revoked or replaced: stop it and enrol it again';
