/** What the server says when everything runs: where it is reached, and what to do next. */
import { relative } from 'node:path';
import type { DiscoverySettings } from '../shared/agent/discovery.ts';
import { consoleUrl, signInLink } from '../shared/console-link.ts';
import { shellWord } from '../shared/install-line.ts';
import type { System } from './system.ts';

/** Where `lanreach` looks without being told. */
const USUAL_URL = 'http://127.0.0.1:8787';
const USUAL_TOKEN_FILE = '.lanreach/api-token';

interface Circumstances {
  isOnline: boolean;
  /** How long the start has taken. */
  seconds: number;
  /** By which it is reached, the one to name first. */
  urls: readonly string[];
  /** Whether people read it. What is not shown on a terminal may be kept, and read by others. */
  isTerminal: boolean;
  /** The folder in which it was started. */
  folder: string;
  /** What people type for the command line. */
  client: string;
}

type Started = Pick<System, 'url' | 'token' | 'site' | 'agent' | 'discovery' | 'dataFolder'>;

export function startScreen(system: Started, about: Circumstances): string {
  const { isOnline, seconds, urls } = about;
  const { site, agent, discovery } = system;
  return [
    isOnline
      ? `Ready after ${seconds.toFixed(1)} s.`
      : `Started after ${seconds.toFixed(1)} s, but the agent is not connected yet: until it is, commands are refused.`,
    '',
    ...column('URL', urls),
    ...tokenLines(system, about),
    `  site      ${site}`,
    `  agent     ${agent}, ${isOnline ? 'online' : 'not connected yet'}`,
    `  LAN       ${lan(discovery)}`,
    '',
    ...nextSteps(system, about),
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

/** The first of several values beside its name, the others below it. */
function column(name: string, values: readonly string[]): string[] {
  return values.map((value, i) => `  ${(i === 0 ? name : '').padEnd(10)}${value}`);
}

/** The token and the way into the console. Where it may be kept, the token is in the file alone. */
function tokenLines({ token }: Started, { urls, isTerminal, folder, client }: Circumstances): string[] {
  const consoles = (remark: string) =>
    column(
      'console',
      urls.map((url, i) => (i === 0 ? `${consoleUrl(url)}  (${remark})` : consoleUrl(url))),
    );
  if (token.file === null) return ['  token     the one in API_TOKEN', ...consoles('sign in with that token')];
  const links = urls.map(
    (url, i) => `${signInLink(url, token.token)}${i === 0 ? '  (signs in: keep it to yourself)' : ''}`,
  );
  return [
    ...(token.isNew && isTerminal ? [`  token     ${token.token}  (new)`] : []),
    `  token in  ${pathFrom(folder, token.file)}`,
    ...(isTerminal ? column('console', links) : consoles(`sign in: ${client} open, or paste the token from that file`)),
  ];
}

function lan({ enabled, networks, intervalSeconds }: DiscoverySettings): string {
  if (!enabled) return 'not watched for devices';
  const what = networks === 'auto' ? 'the networks of this machine' : networks.join(', ');
  return `watched for devices every ${intervalSeconds} s: ${what}`;
}

function nextSteps({ url, token, site, discovery, dataFolder }: Started, { folder, client }: Circumstances): string[] {
  const settings = [
    ...(url === USUAL_URL ? [] : [`LANREACH_URL=${url}`]),
    ...(token.file === null ? ['LANREACH_TOKEN="$API_TOKEN"'] : []),
    ...(token.file === null || pathFrom(folder, token.file) === USUAL_TOKEN_FILE
      ? []
      : [`LANREACH_DATA=${shellWord(pathFrom(folder, dataFolder))}`]),
  ];
  const steps = [
    [`${client} open`, 'the console, signed in'],
    discovery.enabled
      ? [`${client} devices list`, 'the devices that were found']
      : [`${client} site discover ${site} on`, 'find the devices of this LAN'],
    [`${client} --help`, 'everything else'],
  ];
  const width = Math.max(...steps.map(([command = '']) => command.length)) + 3;
  return [
    `Next, in a second terminal in this folder${settings.length === 0 ? ':' : `, after: export ${settings.join(' ')}`}`,
    ...steps.map(([command = '', meaning]) => `  ${command.padEnd(width)}${meaning}`),
  ];
}

/** A service is started in no folder of its own, but at the root. */
function pathFrom(folder: string, path: string): string {
  return folder === '/' ? path : relative(folder, path);
}
