/** The text on the screen when everything runs: the addresses of the server, and the next steps. */
import { relative } from 'node:path';
import type { DiscoverySettings } from '../shared/agent/discovery.ts';
import { consoleUrl, signInLink } from '../shared/console-link.ts';
import { shellWord } from '../shared/install-line.ts';
import type { System } from './system.ts';

/** The defaults of `lanreach`. */
const USUAL_URL = 'http://127.0.0.1:8787';
const USUAL_TOKEN_FILE = '.lanreach/api-token';

interface Circumstances {
  isOnline: boolean;
  /** Duration of the start. */
  seconds: number;
  /** The preferred one first. */
  urls: readonly string[];
  /** Other output than to a terminal may be stored, and read by others. */
  isTerminal: boolean;
  /** The folder in which it was started. */
  folder: string;
  /** The command of the command line. */
  client: string;
}

type Started = Pick<System, 'url' | 'token' | 'site' | 'discovery' | 'dataFolder'>;

export function startScreen(system: Started, about: Circumstances): string {
  const { isOnline, seconds } = about;
  return [
    isOnline
      ? `Ready after ${seconds.toFixed(1)} s.`
      : `Started after ${seconds.toFixed(1)} s, but the agent is not connected yet: until it is, commands are rejected.`,
    '',
    ...openLines(system, about),
    '',
    ...factLines(system, about),
    '',
    ...nextSteps(system, about),
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

/** The first value beside the name, the others below. */
function column(name: string, values: readonly string[]): string[] {
  return values.map((value, i) => `  ${(i === 0 ? name : '').padEnd(10)}${value}`);
}

/** The links to the console, at each address. They sign in only on a terminal, because other output may be stored. */
function openLines({ token }: Started, { urls, isTerminal, client }: Circumstances): string[] {
  const signsIn = token.file !== null && isTerminal;
  const links = urls.map((url) => (signsIn ? signInLink(url, token.token) : consoleUrl(url)));
  const how =
    token.file === null
      ? 'Sign in with the token in API_TOKEN.'
      : signsIn
        ? 'The link signs in: keep it to yourself.'
        : `Sign in by: ${client} open, or with the token in the file below.`;
  return [...column('open', links), `${' '.repeat(12)}${how}`];
}

/** URL and token for programs. The token is in its file, and on a terminal in the link above. */
function factLines({ url, token, discovery }: Started, { folder }: Circumstances): string[] {
  return [
    ...column('URL', [url]),
    ...(token.file === null ? [] : column('token in', [pathFrom(folder, token.file)])),
    ...column('LAN', [lan(discovery)]),
  ];
}

function lan({ enabled, networks, intervalSeconds }: DiscoverySettings): string {
  if (!enabled) return 'not watched for devices yet';
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

/** A service starts in the root folder. */
function pathFrom(folder: string, path: string): string {
  return folder === '/' ? path : relative(folder, path);
}
