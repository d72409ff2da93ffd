/** The URL of the API and the token. The only module on this side that reads the environment. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import type { Access } from '../../client/client.ts';
import { codeOf } from '../../shared/errno.ts';
import { Failure } from './failure.ts';
import { isLoopback } from './loopback.ts';

const DEFAULT_URL = 'http://127.0.0.1:8787';

/** Options of the command line. A token is never an argument, because every user of the host can read those. */
export interface AccessOptions {
  url?: string;
  tokenFile?: string;
  tokenStdin?: boolean;
}

const ConfigFile = z.object({ url: z.string().optional(), token: z.string().optional() });
type ConfigFile = z.infer<typeof ConfigFile>;

/**
 * In order of precedence: the command line, the environment, the configuration file, and the system that runs in this
 * folder.
 * @throws {Failure} `usage` for an invalid value, `auth` when there is no token
 */
export function readAccess(options: AccessOptions, environment: NodeJS.ProcessEnv = process.env): Access {
  const path = configPath(environment);
  const file = readConfigFile(path);
  const url = checkedUrl(options.url || environment.LANREACH_URL || file.url || DEFAULT_URL);
  const explicit = tokenFromOptions(options) ?? environment.LANREACH_TOKEN;
  if (explicit) return { url, token: checkedToken(explicit) };
  // A stored token is sent only to the API that it was stored for.
  if (file.token && url === checkedUrl(file.url ?? DEFAULT_URL)) return { url, token: checkedToken(file.token) };
  const localFile = join(environment.LANREACH_DATA || '.lanreach', 'api-token');
  const local = isLoopback(url) ? readIfThere(localFile) : null;
  if (local) return { url, token: checkedToken(local) };
  throw new Failure(
    'auth',
    `There is no token for ${url}. Set LANREACH_TOKEN, use --token-file or --token-stdin, or write {"url", "token"} to ` +
      `${path}. Next to a local system, ${localFile} is read`,
  );
}

/** Whether text on the stream may be coloured (https://no-color.org). */
export function mayColor(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

function configPath(environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_CONFIG_HOME;
  // The XDG specification requires that relative paths are ignored.
  return join(base && isAbsolute(base) ? base : join(homedir(), '.config'), 'lanreach', 'config.json');
}

function readConfigFile(path: string): ConfigFile {
  const text = readIfThere(path);
  if (text === null) return {};
  try {
    return ConfigFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new Failure('usage', `${path} is not a JSON object with the strings "url" and "token"`, { cause });
  }
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

function tokenFromOptions({ tokenFile, tokenStdin }: AccessOptions): string | undefined {
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

/** The text is not repeated in messages, because it may be a valid token with something appended. */
function checkedToken(text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]{1,200}$/.test(token)) return token;
  throw new Failure('usage', 'The token is invalid: it is too long, or contains characters other than printable ASCII');
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw new Failure('usage', `Cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}
