/** The AsyncAPI 3 document of the messages between functions and agents over MQTT. */
import * as z from 'zod';
import { MeasurementsBody } from '../../shared/agent/measurements.ts';
import {
  Ack,
  ConnectionEvent,
  DiscoveryControl,
  JobControl,
  Output,
  PlanControl,
  PROTOCOL_VERSION,
  Presence,
  Progress,
  ProtocolVersion,
  Request,
  Result,
  Sightings,
} from '../../shared/agent/messages.ts';
import { type InstanceId, type ToIngest, topics } from '../../shared/agent/topics.ts';
import { clientIdOf } from '../../shared/identity.ts';
import { SchemaComponents } from './json-schema.ts';

/** An object of the AsyncAPI document. */
type Node = Record<string, unknown>;

interface Message {
  schema: z.ZodObject;
  summary: string;
  example: Node;
}

const v = PROTOCOL_VERSION;
const id = 'home.01934c1e-5f00-7a11-8a22-0123456789ab';
const at = 1793520900000;
/** An empty plan from `packPlan`; a constant, because one byte of gzip depends on the platform. */
const EMPTY_PLAN_PACKED =
  'H4sIAAAAAAAAA6tWKsnMTY3Kz0tVslIKDXFW0lEqTs5ITSnNSS1WsoqO1VFKzkhNzoayi5MT88DMWgAYWDScOAAAAA==';
const [cancel, watch, stored] = JobControl.options;
const [settings, sighted, digest] = DiscoveryControl.options;
const [plan, measured] = PlanControl.options;
const Measurements = z.object({ v: ProtocolVersion, t: z.literal('measurements'), ...MeasurementsBody.shape });

/** Every message that has a topic. */
export const MESSAGES = {
  Request: {
    schema: Request,
    summary: 'Run this command. It must not start after its deadline.',
    example: {
      ...{ v, t: 'request', id, replyTo: 'lr-prod-0a1b2c3d', sentAt: at, deadline: at + 10_000 },
      command: { tool: 'nmap', target: '192.168.1.20', mode: 'fast' },
    },
  },
  Cancel: {
    schema: cancel,
    summary: 'Stop a command, and send its result to this instance too.',
    example: { v, t: 'cancel', id, replyTo: 'lr-prod-0a1b2c3d' },
  },
  Watch: {
    schema: watch,
    summary: 'Send to this instance too: an ack at once, the output from this position, the progress and the result.',
    example: { v, t: 'watch', id, replyTo: 'lr-prod-0a1b2c3d', from: 0 },
  },
  Stored: {
    schema: stored,
    summary: 'The result of a command is stored or discarded: the agent may delete it.',
    example: { v, t: 'stored', id },
  },
  Settings: {
    schema: settings,
    summary: 'The discovery settings of the site. The greatest `revision` wins.',
    example: {
      ...{ v, t: 'settings', revision: at },
      discovery: { enabled: true, networks: ['192.168.1.0/24'], intervalSeconds: 60 },
    },
  },
  Sighted: {
    schema: sighted,
    summary: 'The message of sightings with this epoch and number is stored.',
    example: { v, t: 'sighted', epoch: at, n: 7 },
  },
  Digest: {
    schema: digest,
    summary: 'Devices were deleted: resend everything, so that those still present come back.',
    example: { v, t: 'digest' },
  },
  Plan: {
    schema: plan,
    summary:
      'The plan of the agent: schedules, checks and shards of scans. The greatest `revision` wins. `plan` is JSON in gzip in base64.',
    example: { v, t: 'plan', revision: at, plan: EMPTY_PLAN_PACKED },
  },
  Measured: {
    schema: measured,
    summary: 'The measurements with this number are stored.',
    example: { v, t: 'measured', n: at },
  },
  Ack: {
    schema: Ack,
    summary: 'The request is in the journal of the agent and will have exactly one result.',
    example: { v, t: 'ack', id, state: 'running', at },
  },
  Output: {
    schema: Output,
    summary: 'Lines of output of the tool, from the position `at`. May be lost: the result repeats them.',
    example: { v, t: 'output', id, at: 0, text: 'Starting Nmap 7.93\n' },
  },
  Progress: {
    schema: Progress,
    summary: 'The progress of the tool.',
    example: { v, t: 'progress', id, seq: 1, phase: 'SYN Stealth Scan', percent: 40 },
  },
  Result: {
    schema: Result,
    summary:
      'The outcome of a command. The agent resends it until `stored`. The payload is a line of JSON with `v`, `t` and `id`, followed by the other fields as JSON in gzip; the schema describes both together.',
    example: {
      ...{ v, t: 'result', id, state: 'succeeded', reason: null, message: null },
      ...{ output: 'Nmap done: 1 IP address (1 host up)\n', truncated: false },
      result: { hosts: [], hostsUp: 1, hostsTotal: 1 },
      ...{ startedAt: at, endedAt: at + 1_500 },
    },
  },
  Presence: {
    schema: Presence,
    summary: 'Whether the agent accepts commands, and its capabilities. `offline` is also its last will.',
    example: {
      ...{ v, t: 'presence', state: 'online', session: at, version: '0.3.0' },
      programs: { nmap: '7.93' },
      capabilities: ['raw-sockets'],
      networks: ['192.168.1.0/24'],
      load: { running: 0, queued: 0 },
    },
  },
  Sightings: {
    schema: Sightings,
    summary: 'Devices that were seen, or no longer are. The agent resends it until `sighted`.',
    example: {
      ...{ v, t: 'sightings', epoch: at, n: 7, covers: null },
      sightings: [
        { mac: '00:1E:06:AA:BB:01', n: 7, online: true, since: at, seenAt: at, ip: '192.168.1.20', vendor: 'Synology' },
      ],
    },
  },
  Measurements: {
    schema: Measurements,
    summary: 'Points of series, and changes. The agent resends it until `measured`. The payload is JSON in gzip.',
    example: {
      ...{ v, t: 'measurements', n: at },
      changes: [{ t: 'check', check: '5f0c2a9b1d34', at, ok: false, reason: 'no answer' }],
      points: { from: at - 300_000, before: null, checks: [['5f0c2a9b1d34', [[20, 3.2, 5, 0, 0.4]]]] },
    },
  },
  Connection: {
    schema: ConnectionEvent,
    summary:
      'A connection of an agent has started or ended: a lifecycle event of AWS IoT Core, without its other fields.',
    example: {
      ...{ clientId: 'prod:home:main', eventType: 'connected', timestamp: at, versionNumber: 3 },
      principalIdentifier: '9f86d081884c7d65',
    },
  },
} as const satisfies Record<string, Message>;
export type MessageName = keyof typeof MESSAGES;

/** The messages of one topic. */
interface Channel {
  /** With the parameters `{stage}`, `{agent}`, `{instance}` and `{event}`. */
  address: string;
  description: string;
  /** Of the functions. */
  action: 'send' | 'receive';
  messages: readonly MessageName[];
}

const AGENT = clientIdOf('{stage}', '{agent}');
const INSTANCE = '{instance}' as InstanceId;

const DIRECT = (kind: ToIngest) =>
  ` If the settings have \`direct\`, agents publish it on \`${topics.direct(kind, AGENT)}\` instead.`;

/** By their names in `topics`. Its other members are filters, or the echo, which a function sends to itself. */
export const CHANNELS = {
  request: {
    address: topics.request(AGENT),
    description: 'Requests to one agent.',
    action: 'send',
    messages: ['Request'],
  },
  control: {
    address: topics.control(AGENT),
    description: 'Messages to one agent about earlier requests, about discovery, and its plan.',
    action: 'send',
    messages: ['Cancel', 'Watch', 'Stored', 'Settings', 'Sighted', 'Digest', 'Plan', 'Measured'],
  },
  reply: {
    address: topics.reply(INSTANCE, AGENT),
    description:
      'Messages of an agent during a command, to the function that waits for it: ack with QoS 1, the others with QoS 0.',
    action: 'receive',
    messages: ['Ack', 'Output', 'Progress'],
  },
  result: {
    address: topics.result(INSTANCE, AGENT),
    description: 'Results, for the function that waits and for ingest.',
    action: 'receive',
    messages: ['Result'],
  },
  presence: {
    address: topics.presence(AGENT),
    description: `Presence of one agent. Not retained.${DIRECT('presence')}`,
    action: 'receive',
    messages: ['Presence'],
  },
  sightings: {
    address: topics.sightings(AGENT),
    description: `Devices that an agent has seen.${DIRECT('sightings')}`,
    action: 'receive',
    messages: ['Sightings'],
  },
  measurements: {
    address: topics.measurements(AGENT),
    description: `Measurements of an agent, and the changes that they show.${DIRECT('measurements')}`,
    action: 'receive',
    messages: ['Measurements'],
  },
  connection: {
    address: topics.connection('{event}' as 'connected', AGENT),
    description: 'Lifecycle events of the broker, on which no client may publish.',
    action: 'receive',
    messages: ['Connection'],
  },
} as const satisfies Partial<Record<keyof typeof topics, Channel>>;

const PARAMETERS: Record<string, Node> = {
  stage: { description: 'Name of the deployment: several may share a broker. `local` on one machine.' },
  agent: { description: 'Id of the agent, `<site>:<name>`. With the stage before it, it is the MQTT client id.' },
  instance: { description: 'Client id of the connection of one function, which receives the answers.' },
  event: { description: 'The event.', enum: ['connected', 'disconnected'] },
};

/** Messages that are compressed. */
const BINARY: readonly string[] = ['Result', 'Measurements'] satisfies MessageName[];

export function asyncApiDocument(version: string): Node {
  const schemas = new SchemaComponents();
  const messages = Object.entries<Message>(MESSAGES).map(([name, { schema, summary, example }]) => {
    schemas.named(name, schema, 'input');
    const message = {
      name,
      summary,
      contentType: BINARY.includes(name) ? 'application/octet-stream' : 'application/json',
      payload: { $ref: `#/components/schemas/${name}` },
      examples: [{ payload: example }],
    };
    return [name, message] as const;
  });
  const channels = Object.entries<Channel>(CHANNELS);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'LanReach: functions and agents',
      version,
      description: `The messages that the functions of LanReach send and receive over MQTT 3.1.1 with TLS and client certificates; an agent does the opposite.\n\nThis is internal: functions and agents use version ${PROTOCOL_VERSION} (\`v\`), and ignore messages of others. Presence reports the version of the agent; an agent with another one counts as offline. Payloads are at most 128 KiB. The identity of an agent is that of its certificate, never of a message.`,
      license: { name: 'Apache-2.0' },
      tags: [{ name: 'mqtt' }],
    },
    servers: {
      broker: {
        host: '{host}:{port}',
        protocol: 'mqtts',
        description: 'AWS IoT Core, or the broker of `npm start`. An agent gets its address when it enrols.',
        variables: { host: { default: 'localhost' }, port: { default: '8883' } },
      },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(
      channels.map(([name, { address, description, messages: names }]) => [
        name,
        {
          address,
          description,
          parameters: Object.fromEntries(
            [...address.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => [parameter, PARAMETERS[parameter]]),
          ),
          messages: Object.fromEntries(names.map((one) => [one, { $ref: `#/components/messages/${one}` }])),
        },
      ]),
    ),
    operations: Object.fromEntries(
      channels.map(([name, { action, description, messages: names }]) => [
        `${action}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        {
          action,
          channel: { $ref: `#/channels/${name}` },
          summary: description,
          description: names.map((one) => `${one}: ${MESSAGES[one].summary}`).join('\n\n'),
          // Output and progress, which may be lost, have QoS 0.
          ...(name === 'reply' ? {} : { bindings: { mqtt: { qos: 1 } } }),
          messages: names.map((one) => ({ $ref: `#/channels/${name}/messages/${one}` })),
        },
      ]),
    ),
    components: { messages: Object.fromEntries(messages), schemas: schemas.schemas },
  };
}
