/** `lanreach home-assistant`: works until it is stopped. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { consoleUrl } from '../../shared/console-link.ts';
import { brokerPasswordOf } from '../client/config.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import { isLoopback } from '../client/loopback.ts';
import { askForSecret } from '../client/secret.ts';
import type { World } from '../client/world.ts';
import type { Command } from '../command.ts';
import { runBridge } from '../home-assistant/bridge.ts';
import type { BrokerAccess } from '../home-assistant/broker.ts';
import { PREFIX } from '../home-assistant/names.ts';
import { countUpTo } from '../option-values.ts';

interface Options {
  broker?: string;
  username?: string;
  passwordFile?: string;
  ca?: string;
  sites?: string;
  devices: 'favorites' | 'all';
  group?: string;
  most: number;
  zone: string;
  prefix: string;
  discoveryPrefix: string;
  trackerState?: boolean;
}

/** Each device has up to six topics, which the bridge holds in memory. */
const MOST_DEVICES = 1_000;

const prefix = matching(PREFIX, 'up to 32 letters, digits and hyphens');
const zone = matching(/^zone\.[a-z0-9_]{1,64}$/, 'an entity id such as zone.home');
const which = matching(/^(?:favorites|all)$/, 'favorites or all');

type Setting = [flags: string, about: string, variable: string, usual?: unknown, parse?: (text: string) => unknown];
const SETTINGS: readonly Setting[] = [
  ['--broker <url>', 'the broker: mqtt://host:1883, or with TLS mqtts://host:8883', 'MQTT_URL'],
  ['--username <name>', 'of the broker; its password is in LANREACH_MQTT_PASSWORD, or typed', 'MQTT_USERNAME'],
  ['--password-file <file>', 'read the password of the broker from a file', 'MQTT_PASSWORD_FILE'],
  ['--ca <file>', 'the certificate (PEM) that signs that of the broker', 'MQTT_CA'],
  ['--sites <sites>', 'only these, by ids and tags, such as home,tag:offices', 'HA_SITES'],
  ['--devices <which>', 'the devices to show: favorites or all', 'HA_DEVICES', 'favorites', which],
  ['--group <group>', 'the devices of this group, in place of the favorites', 'HA_GROUP'],
  ['--most <number>', `of each site, up to ${MOST_DEVICES}`, 'HA_MOST', 200, countUpTo(MOST_DEVICES)],
  ['--zone <zone>', 'the zone in which a device that is online is present', 'HA_ZONE', 'zone.home', zone],
  ['--prefix <word>', 'of topics and ids, a different one for each bridge', 'HA_PREFIX', 'lanreach', prefix],
  ['--discovery-prefix <word>', "Home Assistant's own", 'HA_DISCOVERY_PREFIX', 'homeassistant', prefix],
  ['--tracker-state', 'for Home Assistant before 2026.7: trackers by state, too', 'HA_TRACKER_STATE'],
];

export function addHomeAssistantCommand(command: Command): void {
  for (const [flags, about, variable, usual, parse] of SETTINGS) {
    const option = new Option(flags, about).env(`LANREACH_${variable}`).default(usual);
    command.addOption(parse === undefined ? option : option.argParser(parse));
  }
  command.run(async ({ client, world, note }, options: Options) => {
    const { devices, group, most, sites, prefix: own, discoveryPrefix: discovery, trackerState = false } = options;
    const broker = await brokerAccess(options, world);
    const { scopes } = await client.ask('GET /tokens/self');
    if (scopes.includes('admin') || scopes.includes('devices:write'))
      note(
        'This token may do more than the bridge needs. One for it: lanreach token create --name home-assistant --scope devices:read --all-sites',
      );
    const form = {
      ...{
        own,
        discovery,
        zone: options.zone,
        hasWake: scopes.includes('nettools:run'),
        hasTrackerState: trackerState,
      },
      ...{ version: packageJson.version, console: isLoopback(client.url) ? null : consoleUrl(client.url) },
    };
    const shown = group === undefined ? devices : `devices of the group ${group}`;
    const choice = {
      sites,
      most,
      devices: { status: shown === 'favorites' ? ('favorites' as const) : ('my' as const), group },
    };
    const stop = new AbortController();
    const end = () => stop.abort();
    process.once('SIGTERM', end).once('SIGINT', end);
    note(`Showing the ${shown} to Home Assistant by ${broker.url}; Ctrl-C ends this.`);
    try {
      await runBridge({ client, broker, form, choice, note, signal: stop.signal });
    } finally {
      process.off('SIGTERM', end).off('SIGINT', end);
    }
  });
}

function matching(pattern: RegExp, expected: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

async function brokerAccess(
  { broker, username, passwordFile, ca, prefix: own }: Options,
  world: World,
): Promise<BrokerAccess> {
  const url = broker !== undefined && URL.canParse(broker) ? new URL(broker) : null;
  if (url === null || !/^mqtts?:$/.test(url.protocol) || url.hostname === '')
    throw new Failure('usage', 'Name the broker: --broker mqtt://host:1883, or mqtts://host:8883 with TLS');
  // An argument can be read by every user of the host, and a URL is in messages.
  if (url.username !== '' || url.password !== '')
    throw new Failure(
      'usage',
      'The URL of the broker must have no user name and password: use --username and LANREACH_MQTT_PASSWORD',
    );
  if (ca !== undefined && url.protocol !== 'mqtts:')
    throw new Failure('usage', '--ca is for a broker with TLS: mqtts://');
  const access = {
    url: url.href,
    clientId: `${own}-home-assistant`,
    ...(ca === undefined ? {} : { ca: fileOf(ca) }),
  };
  const password =
    passwordFile === undefined ? brokerPasswordOf(world.env) : fileOf(passwordFile).replace(/\r?\n$/, '');
  if (username === undefined) {
    if (password !== null) throw new Failure('usage', 'A password needs the name of a user: --username');
    return access;
  }
  if (password !== null) return { ...access, username, password };
  if (world.stdin.isTTY !== true)
    throw new Failure(
      'usage',
      'There is no terminal to ask for the password: use LANREACH_MQTT_PASSWORD or --password-file',
    );
  return { ...access, username, password: await askForSecret(world, 'Password of the broker', 'A password is needed') };
}

function fileOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadableFile(path, error as Error);
  }
}
