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

export function addHomeAssistantCommand(command: Command): void {
  const option = (flags: string, description: string, variable: string) =>
    new Option(flags, description).env(`LANREACH_${variable}`);
  command
    .addOption(option('--broker <url>', 'the broker: mqtt://host:1883, or with TLS mqtts://host:8883', 'MQTT_URL'))
    .addOption(
      option(
        '--username <name>',
        'of the broker; its password is in LANREACH_MQTT_PASSWORD, or typed',
        'MQTT_USERNAME',
      ),
    )
    .addOption(option('--password-file <file>', 'read the password of the broker from a file', 'MQTT_PASSWORD_FILE'))
    .addOption(option('--ca <file>', 'the certificate (PEM) that signs that of the broker', 'MQTT_CA'))
    .addOption(option('--sites <sites>', 'only these, by ids and tags, such as home,tag:offices', 'HA_SITES'))
    .addOption(
      option('--devices <which>', 'the devices to show', 'HA_DEVICES')
        .choices(['favorites', 'all'])
        .default('favorites'),
    )
    .addOption(option('--group <group>', 'the devices of this group, in place of the favorites', 'HA_GROUP'))
    .addOption(
      option('--most <number>', `of each site at most, up to ${MOST_DEVICES}`, 'HA_MOST')
        .argParser(countUpTo(MOST_DEVICES))
        .default(200),
    )
    .addOption(
      option('--zone <zone>', 'the zone in which a device that is online is present', 'HA_ZONE')
        .argParser(matching(/^zone\.[a-z0-9_]{1,64}$/, 'an entity id such as zone.home'))
        .default('zone.home'),
    )
    .addOption(
      option('--prefix <word>', 'of topics and ids; each bridge at a broker needs its own', 'HA_PREFIX')
        .argParser(matching(PREFIX, 'up to 32 letters, digits and hyphens'))
        .default('lanreach'),
    )
    .addOption(
      option('--discovery-prefix <word>', "Home Assistant's discovery prefix", 'HA_DISCOVERY_PREFIX')
        .argParser(matching(PREFIX, 'up to 32 letters, digits and hyphens'))
        .default('homeassistant'),
    )
    .addOption(
      option('--tracker-state', 'for Home Assistant before 2026.7: trackers by state, too', 'HA_TRACKER_STATE'),
    )
    .run(async ({ client, world, note }, options: Options) => {
      const { devices, group, most, sites, zone, prefix, discoveryPrefix: discovery, trackerState = false } = options;
      const broker = await brokerAccess(options, world);
      const { scopes } = await client.ask('GET /tokens/self');
      if (scopes.includes('admin') || scopes.includes('devices:write'))
        note(
          'This token may do more than the bridge needs. One for it: lanreach token create --name home-assistant --scope devices:read --all-sites',
        );
      const hasWake = scopes.includes('nettools:run');
      const stop = new AbortController();
      const end = () => stop.abort();
      process.once('SIGTERM', end).once('SIGINT', end);
      note(
        `Showing the ${group === undefined ? devices : `devices of the group ${group}`} to Home Assistant by ${broker.url}; Ctrl-C ends this.`,
      );
      try {
        await runBridge({
          ...{ client, broker, note, signal: stop.signal },
          form: {
            ...{ own: prefix, discovery, version: packageJson.version, zone, hasTrackerState: trackerState, hasWake },
            console: isLoopback(client.url) ? null : consoleUrl(client.url),
          },
          choice: {
            sites,
            most,
            devices: { status: devices === 'all' || group !== undefined ? 'my' : 'favorites', group },
          },
        });
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
  { broker, username, passwordFile, ca, prefix }: Options,
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
    clientId: `${prefix}-home-assistant`,
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
