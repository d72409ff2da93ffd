/** The file in which `lanreach login` keeps services and the tokens for them. */
import { chmodSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Access } from '../../client/transport.ts';
import { codeOf } from '../../shared/errno.ts';
import { parseJson } from '../../shared/json.ts';
import { Failure } from './failure.ts';

/** Shown in tables and typed in shells. */
export const isProfileName = (text: unknown): text is string => typeof text === 'string' && /^[\w.-]{1,32}$/.test(text);

export interface Profile extends Pick<Access, 'url' | 'token'> {
  /** Whether the login has created the token: then no other program has it. */
  isOwn?: true;
}

export interface Profiles {
  /** The profile that is used when none is named. */
  current: string | null;
  profiles: Record<string, Profile>;
}

/**
 * None when there is no such file.
 * @throws {Failure} `usage` when it cannot be read
 */
export function readProfiles(path: string): Profiles {
  const text = readIfThere(path);
  if (text === null) return { current: null, profiles: {} };
  const kept = profilesIn(parseJson(text));
  if (kept !== null) return kept;
  const expected = '{"current": "home", "profiles": {"home": {"url": …, "token": …}}}';
  throw new Failure('usage', `${path} does not look like ${expected}; "lanreach login" writes such a file`);
}

/** Null for anything else. */
function profilesIn(content: unknown): Profiles | null {
  if (!isRecord(content)) return null;
  const { current = null, profiles = {} } = content;
  if (current !== null && !isProfileName(current)) return null;
  if (!isRecord(profiles)) return null;
  const all = Object.entries(profiles);
  const known = all.flatMap(([name, access]): [string, Profile][] => {
    if (!isProfileName(name) || !isRecord(access)) return [];
    const { url, token, isOwn } = access;
    if (typeof url !== 'string' || typeof token !== 'string') return [];
    return [[name, { url, token, ...(isOwn === true ? { isOwn } : {}) }]];
  });
  return known.length === all.length ? { current, profiles: Object.fromEntries(known) } : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces the file in one step; only its owner may read it. */
export function writeProfiles(path: string, profiles: Profiles): void {
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600); // A file that was there before has kept its mode.
    renameSync(draft, path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new Failure('failure', `Cannot write ${path}: ${(cause as Error).message}`, { cause });
  }
}

/** The profile of this name, with the name of the file in the message when there is none. */
export function profileNamed(name: string, { profiles }: Profiles, path: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(profiles);
  const hint = known.length === 0 ? `lanreach login --profile ${name}` : `there are: ${known.join(', ')}`;
  throw new Failure('usage', `There is no profile "${name}" in ${path}; ${hint}`);
}

export function readIfThere(path: string, flag = constants.O_RDONLY): string | null {
  try {
    return readFileSync(path, { encoding: 'utf8', flag });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw new Failure('usage', `Cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}
