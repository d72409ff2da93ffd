/** The URL of the API and the token. The only module on this side that reads the environment of the process. */
import { constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Access } from '../../client/transport.ts';
import type { Browser } from './browser.ts';
import { Failure } from './failure.ts';
import { isLoopback } from './loopback.ts';
import { type Profiles, profileNamed, readIfThere, readProfiles } from './profiles.ts';

const DEFAULT_URL = 'http://127.0.0.1:8787';

/** Options of the command line. A token is never an argument, because every user of the host can read those. */
export interface AccessOptions {
  profile?: string;
  url?: string;
  tokenFile?: string;
  tokenStdin?: boolean;
}

/**
 * In order of precedence: the command line, the environment, the profile, and the system that runs in this folder.
 * @throws {Failure} `usage` for an invalid value, `auth` when there is no token
 */
export function readAccess(options: AccessOptions, environment: NodeJS.ProcessEnv): Access {
  const path = configPath(environment);
  const profiles = readProfiles(path);
  const chosen = chosenProfile(options, environment, profiles, path);
  const url = urlOf(options, chosen, environment);
  // A named profile brings its own token: that of the environment may be for another service.
  const named = options.profile !== undefined && chosen?.url === url ? chosen.token : undefined;
  const explicit = tokenFromOptions(options) ?? named ?? environment.LANREACH_TOKEN;
  if (explicit) return { url, token: checkedToken(explicit) };
  // A stored token is sent only to the API that it was stored for.
  const stored = [chosen, ...Object.values(profiles.profiles)].find((profile) => profile?.url === url);
  if (stored) return { url, token: checkedToken(stored.token) };
  const localFile = join(dataFolderOf(environment), 'api-token');
  // Through no link: root reads it in the folder of a service that is not root, and sends that service what is there.
  const local = isLoopback(url) ? readIfThere(localFile, constants.O_RDONLY | constants.O_NOFOLLOW) : null;
  if (local) return { url, token: checkedToken(local) };
  throw new Failure(
    'auth',
    `There is no token for ${url}. Use "lanreach login", LANREACH_TOKEN, --token-file or --token-stdin. Next to a local ` +
      `system, ${localFile} is read`,
  );
}

/** The data folder of a system that is started in this folder. */
export function dataFolderOf(environment: NodeJS.ProcessEnv): string {
  return environment.LANREACH_DATA || '.lanreach';
}

/** The passphrase of backups, where there is no terminal to ask for it. */
export function passphraseOf(environment: NodeJS.ProcessEnv): string | null {
  return environment.LANREACH_BACKUP_PASSPHRASE || null;
}

/** The password of the broker to which `lanreach home-assistant` connects. */
export function brokerPasswordOf(environment: NodeJS.ProcessEnv): string | null {
  return environment.LANREACH_MQTT_PASSWORD || null;
}

/** The profile to use, if there is one. */
function chosenProfile(
  options: AccessOptions,
  environment: NodeJS.ProcessEnv,
  profiles: Profiles,
  path: string,
): Access | null {
  const name = chosenName(options, environment) ?? profiles.current;
  return name === null ? null : profileNamed(name, profiles, path);
}

/** The profile that `--profile` or `LANREACH_PROFILE` names. */
export function chosenName({ profile }: AccessOptions, environment: NodeJS.ProcessEnv): string | null {
  return profile || environment.LANREACH_PROFILE || null;
}

/** `$XDG_CONFIG_HOME/lanreach/config.json`, or the same below `~/.config`. */
export function configPath(environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_CONFIG_HOME;
  // The XDG specification requires that relative paths are ignored.
  return join(base && isAbsolute(base) ? base : join(homedir(), '.config'), 'lanreach', 'config.json');
}

/** Where the API is: `--url`, `LANREACH_URL`, the profile, or a system on this host. */
export function urlOf(options: AccessOptions, profile: Access | null, environment: NodeJS.ProcessEnv): string {
  // A profile on the command line comes before the environment.
  const named = options.profile === undefined ? undefined : profile?.url;
  return checkedUrl(options.url || named || environment.LANREACH_URL || profile?.url || DEFAULT_URL);
}

/** Names of variables with secrets. */
const SECRETS = ['LANREACH_TOKEN', 'API_TOKEN', 'LANREACH_BACKUP_PASSPHRASE', 'LANREACH_MQTT_PASSWORD'];

/**
 * What opens a file in the browser of this user; null where there is no screen, because xdg-open would then start a
 * browser for terminals.
 */
export function browserOf(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Browser | null {
  const isMac = platform === 'darwin';
  if (!isMac && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) return null;
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.includes(name)));
  return { opener: isMac ? 'open' : 'xdg-open', env, folder: environment.HOME || homedir() };
}

/** Whether text on the stream may be coloured (https://no-color.org, https://force-color.org). */
export function mayColor(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return !['0', 'false'].includes(FORCE_COLOR);
  return stream.isTTY === true && TERM !== 'dumb';
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failure('usage', `Expected a URL that starts with http:// or https://, not "${text}"`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Failure('usage', 'The URL must have no user name, password, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}

/** The token of `--token-file` or `--token-stdin`. */
export function tokenFromOptions({ tokenFile, tokenStdin }: AccessOptions): string | undefined {
  if (tokenFile !== undefined && tokenStdin) throw new Failure('usage', 'Use --token-file or --token-stdin, not both');
  if (tokenStdin) return nonEmpty(readFileSync(0, 'utf8'), 'Standard input');
  if (tokenFile === undefined) return undefined;
  const text = readIfThere(tokenFile);
  if (text === null) throw new Failure('usage', `--token-file: the file ${tokenFile} does not exist`);
  return nonEmpty(text, tokenFile);
}

function nonEmpty(text: string, source: string): string {
  if (text.trim() === '') throw new Failure('usage', `${source} contains no token`);
  return text;
}

/**
 * Trimmed. The text is not repeated in messages, because it may be a valid token with something appended.
 */
export function checkedToken(text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]{1,200}$/.test(token)) return token;
  throw new Failure('usage', 'The token is invalid: it is too long, or contains characters other than printable ASCII');
}
