/** The questions of DEPLOY.md's last section, asked of a deployment. Everything is done on a site made for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ruleName, topics } from '../../shared/agent/topics.ts';
import { ErrorBody } from '../../shared/errors.ts';
import { clientIdOf } from '../../shared/identity.ts';
import { ALARM_CHECKS } from './alarm-checks.ts';
import { type Api, expectStatus } from './api.ts';
import type { Aws } from './aws-cli.ts';
import { type Check, failed, messageOf, NotUndone, passed, unclear } from './checks.ts';
import { functionOf, logOf, stageOf } from './stack.ts';
import { THING_KEY } from './thing-key.ts';

export interface AfterMeans {
  api: Api;
  aws: Aws;
  region: string;
  stack: string;
  /** A site with an agent that is connected; null if there is none yet. */
  site: string | null;
  /** A receiver of hooks; null if there is none. */
  hookUrl: string | null;
  /** A site that is made and removed by the checks. */
  scratchSite: string;
  /** How long functions are left alone, so that Lambda freezes them (ms). */
  idleMs: number;
  /** Between two looks at something that takes time (ms). */
  pollMs: number;
}

const MEGABYTE = 1_000_000;
/** AWS documents that a function streams this much at full speed, and 2 MB a second from there. */
const FULL_SPEED_BYTES = 6 * MEGABYTE;
const DEVICES_A_FILE = 900;
const COMMENT_CHARACTERS = 3_800;
const CLEAN_UP_MS = 120_000;
/** For one attempt to give the console back its concurrency, of so many. */
const OPEN_MS = 60_000;
const OPEN_ATTEMPTS = 3;
const NO_AGENT = 'No site with a connected agent was given: repeat with --site';

const Token = z.object({ id: z.string() });
const Imported = z.object({ inserted: z.number() });
const Devices = z.object({ devices: z.array(z.object({ devName: z.string() })) });
const Agents = z.object({
  agents: z.array(z.object({ id: z.string(), state: z.string(), version: z.string().nullable() })),
});
const Jobs = z.object({ jobs: z.array(z.object({ tool: z.string(), state: z.string(), createdAt: z.string() })) });
const Hook = z.object({ id: z.string() });
const Deliveries = z.object({
  deliveries: z.array(z.object({ state: z.string(), attempts: z.number(), reason: z.string().nullable() })),
});
const Principals = z.object({ principals: z.array(z.string()) });
const Decisions = z.object({ authResults: z.array(z.object({ authDecision: z.string() })) });
const Mappings = z.object({
  EventSourceMappings: z.array(z.object({ State: z.string(), LastProcessingResult: z.string().optional() })),
});
const Metrics = z.object({
  Metrics: z.array(z.object({ Dimensions: z.array(z.object({ Name: z.string(), Value: z.string() })) })),
});
const Events = z.object({ events: z.array(z.object({ message: z.string() })) });
const Start = z.object({ record: z.object({ metrics: z.object({ initDurationMs: z.number() }) }) });

export const AFTER: readonly Check<AfterMeans>[] = [
  {
    title: 'The gateway refuses in the words of the contract, and paths that do not exist as well',
    timeoutMs: 60_000,
    async run({ api }, signal) {
      const unknown = await api.request('GET', '/nobody/serves/this', signal);
      expectStatus(unknown, 404, 'a path that does not exist, with a token');
      const stranger = await api.request('GET', '/devices', signal, { anonymous: true });
      expectStatus(stranger, 403, 'a request without a token');
      for (const { json } of [unknown, stranger]) ErrorBody.parse(json);
      return passed();
    },
  },
  {
    title: 'Transactions are allowed: a site and a token are made, and the token is revoked',
    timeoutMs: 60_000,
    async run({ api, scratchSite }, signal) {
      const site = await api.request('POST', '/sites', signal, { body: { id: scratchSite } });
      expectStatus(site, 201, 'making a site');
      const body = { name: 'prove-deployment', scopes: ['devices:read'], sites: [scratchSite] };
      const token = await api.request('POST', '/tokens', signal, { body });
      expectStatus(token, 201, 'making a token');
      const revoked = await api.request('DELETE', `/tokens/${Token.parse(token.json).id}`, signal);
      expectStatus(revoked, 200, 'revoking the token');
      return passed();
    },
  },
  {
    title: 'Batches are allowed: two files of devices are imported',
    timeoutMs: 180_000,
    async run({ api, scratchSite }, signal) {
      for (const file of [0, 1]) {
        const body = { content: Buffer.from(devicesFile(file)).toString('base64') };
        const answer = await api.request('POST', '/devices/import', signal, { site: scratchSite, body });
        expectStatus(answer, 200, 'importing devices');
        const { inserted } = Imported.parse(answer.json);
        if (inserted !== DEVICES_A_FILE) return failed(`${inserted} of ${DEVICES_A_FILE} devices were stored`);
      }
      return passed();
    },
  },
  {
    title: 'A long answer is streamed to the client, whole',
    timeoutMs: 120_000,
    async run({ api, scratchSite }, signal) {
      const answer = await api.request('GET', '/devices?fields=all', signal, { site: scratchSite });
      expectStatus(answer, 200, 'listing all devices');
      const { devices } = Devices.parse(answer.json);
      const fast = answer.reachedMs(FULL_SPEED_BYTES);
      const facts = [
        `${(Buffer.byteLength(answer.text) / MEGABYTE).toFixed(1)} MB with ${devices.length} devices`,
        `First byte after ${answer.firstByteMs} ms, 6 MB after ${fast ?? 'no'} ms, the end after ${answer.endMs} ms`,
      ];
      return devices.length === 2 * DEVICES_A_FILE ? passed(...facts) : failed(...facts);
    },
  },
  {
    title: 'Answers without a body pass the gateway: HEAD, 304',
    timeoutMs: 60_000,
    async run({ api, scratchSite: site }, signal) {
      const head = await api.request('HEAD', '/devices', signal, { site });
      expectStatus(head, 200, 'HEAD');
      const etag = (await api.request('GET', '/devices', signal, { site })).headers.get('etag') ?? '';
      const same = await api.request('GET', '/devices', signal, { site, headers: { 'if-none-match': etag } });
      expectStatus(same, 304, 'a list that the client has already');
      return head.text === '' && same.text === '' ? passed() : failed('There is a body');
    },
  },
  {
    title: 'A function that Lambda throttles is told as 503, with a time to come back',
    timeoutMs: 240_000,
    undoMs: (OPEN_ATTEMPTS + 1) * OPEN_MS,
    async run(means, signal) {
      const { api, aws, pollMs } = means;
      // The console needs no data, so that nobody loses anything while it is shut.
      const name = await functionOf(means, 'Console', signal);
      const limit = ['--function-name', name, '--reserved-concurrent-executions', '0'];
      try {
        await aws(['lambda', 'put-function-concurrency', ...limit], signal);
        for (;;) {
          const answer = await api.request('GET', '/console/', signal);
          if (answer.status !== 200) {
            expectStatus(answer, 503, 'a function without any concurrency');
            const { code } = ErrorBody.parse(answer.json);
            const retryAfter = answer.headers.get('retry-after');
            const fact = `${code}, Retry-After ${retryAfter}`;
            return code === 'unavailable' && retryAfter !== null ? passed(fact) : failed(fact);
          }
          await sleep(pollMs, undefined, { signal });
        }
      } finally {
        await endThrottling(means, name);
      }
    },
  },
  {
    title: 'The presence of agents arrives by the rules of IoT Core',
    timeoutMs: 60_000,
    async run({ api, site }, signal) {
      if (site === null) return unclear(NO_AGENT);
      const answer = await api.request('GET', `/sites/${site}/agents`, signal);
      expectStatus(answer, 200, 'listing the agents');
      const online = Agents.parse(answer.json).agents.filter(({ state }) => state === 'online');
      if (online.length === 0) return failed('No agent of the site is online');
      return passed(...online.map(({ version }) => `An agent of version ${version} is online`));
    },
  },
  {
    title: 'Commands reach an agent, also after functions were frozen, and their results are stored',
    timeoutMs: 900_000,
    async run({ api, site, idleMs, pollMs }, signal) {
      if (site === null) return unclear(NO_AGENT);
      const facts: string[] = [];
      const since = Date.now();
      for (const when of ['first', 'at once again', `after ${idleMs / 1000} s`]) {
        if (when.startsWith('after')) await sleep(idleMs, undefined, { signal });
        const answer = await api.request('GET', '/nettools/interfaces', signal, { site });
        expectStatus(answer, 200, `the command, ${when}`);
        facts.push(`Command, ${when}: ${answer.endMs} ms`);
      }
      for (;;) {
        const answer = await api.request('GET', '/jobs?limit=20', signal, { site });
        expectStatus(answer, 200, 'listing the commands');
        const { jobs } = Jobs.parse(answer.json);
        // A minute for the difference of the two clocks.
        const own = jobs.filter(
          ({ tool, createdAt }) => tool === 'interfaces' && Date.parse(createdAt) > since - 60_000,
        );
        if (own.filter(({ state }) => state === 'succeeded').length >= 3) return passed(...facts);
        await sleep(pollMs, undefined, { signal });
      }
    },
  },
  {
    title: 'The certificate of an agent is attached to its thing, and may speak for it alone',
    timeoutMs: 120_000,
    async run({ api, aws, stack, site }, signal) {
      if (site === null) return unclear(NO_AGENT);
      const answer = await api.request('GET', `/sites/${site}/agents`, signal);
      expectStatus(answer, 200, 'listing the agents');
      const [agent] = Agents.parse(answer.json).agents;
      if (agent === undefined) return unclear('The site has no agent');
      const client = clientIdOf(stageOf(stack), agent.id);
      const listed = await aws(['iot', 'list-thing-principals', '--thing-name', client], signal);
      const [principal] = Principals.parse(listed).principals;
      if (principal === undefined) return failed('The thing has no certificate');
      // `arn:aws:iot:<region>:<account>:cert/<id>` and the same for topics.
      const arn = principal.replace(/cert\/\w+$/, '');
      const may = async (topic: string) => {
        const question = JSON.stringify([{ actionType: 'PUBLISH', resources: [`${arn}topic/${topic}`] }]);
        const own = ['--principal', principal, '--client-id', client, '--auth-infos', question];
        const decided = Decisions.parse(await aws(['iot', 'test-authorization', ...own], signal));
        return decided.authResults.every(({ authDecision }) => authDecision === 'ALLOWED');
      };
      const other = clientIdOf(stageOf(stack), 'nowhere:nobody');
      const [own, foreign] = [await may(topics.presence(client)), await may(topics.presence(other))];
      const facts = [
        `Its own presence: ${own ? 'allowed' : 'denied'}`,
        `Another one's: ${foreign ? 'allowed' : 'denied'}`,
      ];
      return own && !foreign ? passed(...facts) : failed(...facts);
    },
  },
  {
    title: 'A receiver of hooks is told',
    timeoutMs: 180_000,
    async run({ api, hookUrl, scratchSite: site, pollMs }, signal) {
      if (hookUrl === null) return unclear('No receiver was given: repeat with --hook-url-file');
      const body = { url: hookUrl, events: ['new'], format: 'json' };
      const made = await api.request('POST', '/hooks', signal, { site, body });
      expectStatus(made, 201, 'adding a hook');
      const { id } = Hook.parse(made.json);
      const start = performance.now();
      const device = {
        content: Buffer.from('devMac,devName\n00:1E:06:FF:FF:01,prove-deployment\n').toString('base64'),
      };
      expectStatus(
        await api.request('POST', '/devices/import', signal, { site, body: device }),
        200,
        'adding a device',
      );
      for (;;) {
        const answer = await api.request('GET', `/hooks/${id}/deliveries`, signal, { site });
        expectStatus(answer, 200, 'listing deliveries');
        const [delivery] = Deliveries.parse(answer.json).deliveries;
        const fact = `${delivery?.state} after ${Math.round(performance.now() - start)} ms and ${delivery?.attempts} attempts`;
        if (delivery?.state === 'delivered') return passed(fact);
        if (delivery?.state === 'dead' || (delivery?.attempts ?? 0) > 1)
          return failed(fact, delivery?.reason ?? 'no reason');
        await sleep(pollMs, undefined, { signal });
      }
    },
  },
  {
    title: 'Lambda follows the stream of the table and the queues',
    timeoutMs: 120_000,
    async run(means, signal) {
      const facts: string[] = [];
      for (const group of ['Ingest', 'Hooks']) {
        const name = await functionOf(means, group, signal);
        const answer = await means.aws(['lambda', 'list-event-source-mappings', '--function-name', name], signal);
        for (const { State, LastProcessingResult = 'not said' } of Mappings.parse(answer).EventSourceMappings) {
          facts.push(`${group}: ${State}, last result: ${LastProcessingResult}`);
          if (State !== 'Enabled' || /PROBLEM|error/i.test(LastProcessingResult)) return failed(...facts);
        }
      }
      return facts.length === 4 ? passed(...facts) : failed('Expected four sources', ...facts);
    },
  },
  THING_KEY,
  ...ALARM_CHECKS,
  {
    title: 'The metrics of the rules have the dimensions that the alarms name',
    timeoutMs: 60_000,
    async run({ aws, stack }, signal) {
      const of = [
        '--namespace',
        'AWS/IoT',
        '--dimensions',
        `Name=RuleName,Value=${ruleName(stageOf(stack), 'Presence')}`,
      ];
      const { Metrics: found } = Metrics.parse(await aws(['cloudwatch', 'list-metrics', ...of], signal));
      const types = new Set(
        found.flatMap(({ Dimensions }) =>
          Dimensions.filter(({ Name }) => Name === 'ActionType').map(({ Value }) => Value),
        ),
      );
      if (found.length === 0)
        return unclear('There are none yet: CloudWatch lists a metric up to 15 minutes after its first value');
      return types.has('SQS') ? passed('ActionType=SQS') : failed(`ActionType: ${[...types].join(', ') || 'none'}`);
    },
  },
  {
    title: 'The filter that counts agents which have gone finds the lines of ingest',
    timeoutMs: 120_000,
    async run(means, signal) {
      const found = await logged(means, 'Ingest', '{ $.msg = "connection" }', signal);
      return found.length > 0 ? passed() : unclear('No agent has connected yet, or its line is not found by $.msg');
    },
  },
  {
    title: 'How long functions take to start is known',
    timeoutMs: 240_000,
    async run(means, signal) {
      const facts: string[] = [];
      for (const group of ['Devices', 'Nettools', 'Admin']) {
        const lines = await logged(means, group, '{ $.record.metrics.initDurationMs > 0 }', signal);
        const times = lines
          .map((line) => Start.parse(JSON.parse(line)).record.metrics.initDurationMs)
          .sort((a, b) => a - b);
        if (times.length > 0) facts.push(`${group}: ${times.length} starts, ${times[0]} to ${times.at(-1)} ms`);
      }
      return facts.length > 0 ? passed(...facts) : unclear('No start was logged in the last day');
    },
  },
];

/**
 * Lets Lambda run the function again. It is repeated, because Ctrl-C in a terminal also ends the AWS CLI that is running.
 * @throws {NotUndone} with the command that the operator has to run
 */
async function endThrottling({ aws, pollMs }: AfterMeans, name: string): Promise<void> {
  const call = ['lambda', 'delete-function-concurrency', '--function-name', name];
  for (let attempt = 1; ; attempt++) {
    try {
      await aws(call, AbortSignal.timeout(OPEN_MS));
      return;
    } catch (error) {
      if (attempt === OPEN_ATTEMPTS) {
        throw new NotUndone(`The console is still shut. Run: aws ${call.join(' ')} (${messageOf(error)})`);
      }
      await sleep(pollMs);
    }
  }
}

/** The last check, which is made in any case: it removes the site of the others, and hooks and devices with it. */
export const cleanUp = (scratchSite: string): Check<AfterMeans> => ({
  title: `The site ${scratchSite}, which the checks have made, is removed`,
  timeoutMs: CLEAN_UP_MS,
  async run({ api, pollMs }, signal) {
    for (;;) {
      const answer = await api.request('DELETE', `/sites/${scratchSite}?confirm=${scratchSite}`, signal);
      const { status, json } = answer;
      if (status === 404) return passed();
      // This is also the answer for a site that does not exist. Only a token for all sites can have made the site.
      if (status === 403 && ErrorBody.safeParse(json).data?.code === 'site_forbidden') return passed();
      // 202: there is more to remove than fits into one request. 429 and 503: the service asks to come back.
      if (![202, 429, 503].includes(status)) {
        expectStatus(answer, 200, 'removing the site');
        return passed();
      }
      await sleep(pollMs, undefined, { signal });
    }
  },
});

/** Messages of the last day in the log of a function that match a filter. */
async function logged(means: AfterMeans, group: string, pattern: string, signal: AbortSignal): Promise<string[]> {
  const name = await logOf(means, group, signal);
  const since = String(Date.now() - 24 * 60 * 60 * 1000);
  const what = ['--log-group-name', name, '--filter-pattern', pattern, '--start-time', since, '--max-items', '100'];
  const { events } = Events.parse(await means.aws(['logs', 'filter-log-events', ...what], signal));
  return events.map(({ message }) => message);
}

/** 3.5 MB of CSV: two of these make an answer that a buffered response could not hold. */
function devicesFile(file: number): string {
  const rows = Array.from({ length: DEVICES_A_FILE }, (_, index) => {
    const number = (file * DEVICES_A_FILE + index).toString(16).padStart(4, '0');
    const mac = `00:1E:06:00:${number.slice(0, 2)}:${number.slice(2)}`.toUpperCase();
    return `${mac},prove ${number},${'x'.repeat(COMMENT_CHARACTERS)}`;
  });
  return ['devMac,devName,devComments', ...rows].join('\n');
}
