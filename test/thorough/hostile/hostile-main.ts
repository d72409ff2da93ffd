/**
 * Starts LanReach in the network namespace that it is itself started in, attacks it, and tells what became of it. The
 * first argument is the program of the server, the second a folder for its data, the third the seed of what is
 * generated. Each event is a line of JSON on standard output.
 */
import { createHash, randomBytes } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Operations } from '../../../shared/api/operation.ts';
import { tables } from '../../../shared/api/tables.ts';
import { SCOPES } from '../../../shared/identity.ts';
import { type ApiClient, openApiClient } from '../../api-client.ts';
import { enrolAgent, startStandIn } from '../../support/enrolled-agent.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { attacksOn, connectionsAtOnce, KINDS, type KindOfAttack, type Loot, SMUGGLED_SITE } from './attacks.ts';
import type { Probed } from './health-probe.ts';
import { KNOWN_ATTACKS, type KnownAttack, type World } from './known-attacks.ts';
import { exchange } from './raw-http.ts';
import { faultOf, outcomeOf } from './verdict.ts';

export type HostileEvent =
  /** One kind of attack on one operation is over. `outcomes`: how many answers there were of each status and code. */
  | { event: 'attacked'; operation: string; kind: string; outcomes: Record<string, number>; faults: string[] }
  | { event: 'known attack'; name: string; faults: string[] }
  | { event: 'step'; name: string; ms: number; serverMb: number }
  | ({ event: 'end' } & Whole);

/** The server as a whole, when the storm is over. */
export interface Whole {
  probed: Probed;
  /** Null: the process that was started still runs. */
  ended: string | null;
  /** Of the agent, before and after. */
  children: [number[], number[]];
  memory: { beforeMb: number; mostMb: number; afterMb: number };
  /** What nobody may change, before and after. */
  untouched: [Record<string, string>, Record<string, string>];
  smuggled: boolean;
  /** Lines that tell of a defect. */
  complaints: string[];
  /** What kind of secret stands in the log. */
  leaks: string[];
  stopped: { code: number | null; saidSo: boolean };
}

const OPERATIONS = Object.values<Operations>(tables).flatMap((table) => Object.entries(table));
const FAULTS_SHOWN = 5;
const MEMORY_GOAL_MB = 350;
const MEMORY_WITHIN_MS = 60_000;

const CALM_CSV = [
  'devName,devMAC,devLastIP,devParentMAC',
  ...Array.from({ length: 500 }, (_, i) => {
    const tail = `${(i >> 8).toString(16).padStart(2, '0')}:${(i & 255).toString(16).padStart(2, '0')}`;
    return `device ${i} “ü”,02:00:00:00:${tail},10.0.${i >> 8}.${i & 255},`;
  }),
].join('\n');

const tell = (event: HostileEvent) => process.stdout.write(`${JSON.stringify(event)}\n`);

async function main([program = '', folder = '', seed = '0']: string[]): Promise<void> {
  // Commands of the agents send packets. There must be nowhere for them to go.
  const others = Object.keys(networkInterfaces()).filter((name) => name !== 'lo');
  if (others.length > 0) throw new Error(`this must run with loopback alone, and there is ${others}`);

  const server = await startServerProcess(program, folder, `hostile-${randomBytes(16).toString('hex')}`);
  const api = openApiClient(server.url, server.token);
  const { loot, world, secrets } = await prepare(server, api);
  const untouched = await lookAtUntouched(api, world);
  const children = server.children();
  const beforeMb = server.residentMb();
  let mostMb = beforeMb;
  const watching = setInterval(() => {
    if (server.ended() === null) mostMb = Math.max(mostMb, server.residentMb());
  }, 100);
  const probe = new Worker(new URL('./health-probe.mjs', import.meta.url), { workerData: { url: server.url } });
  const step = (name: string, since: number) =>
    tell({ event: 'step', name, ms: Math.round(performance.now() - since), serverMb: Math.round(server.residentMb()) });

  for (const [number, kind] of (Object.keys(KINDS) as KindOfAttack[]).entries()) {
    const startedAt = performance.now();
    await attackAll(server, kind, number, loot, Number(seed));
    step(kind, startedAt);
  }
  const attack = async (name: KnownAttack) => {
    const startedAt = performance.now();
    const faults = await KNOWN_ATTACKS[name](world).catch((error: Error) => [`${error.stack}`]);
    tell({ event: 'known attack', name, faults });
    step(name, startedAt);
  };
  for (const name of Object.keys(KNOWN_ATTACKS) as KnownAttack[]) await attack(name);

  const calmSince = performance.now();
  probe.postMessage('calm');
  while (server.residentMb() >= MEMORY_GOAL_MB && performance.now() < calmSince + MEMORY_WITHIN_MS) await sleep(250);
  step('calm', calmSince);
  const afterMb = server.residentMb();
  clearInterval(watching);
  const probed = await new Promise<Probed>((resolve) => {
    probe.once('message', resolve);
    probe.postMessage('over');
  });
  const after = await lookAtUntouched(api, world);
  const sites = (await api.request('GET', '/sites')).text;
  const ended = server.ended();
  const childrenAfter = server.children();
  await world.rogue.agent[Symbol.asyncDispose]();
  const { code, screen } = await server.stop();
  const log = server.log();
  tell({
    event: 'end',
    probed,
    ended,
    children: [children, childrenAfter],
    memory: { beforeMb: Math.round(beforeMb), mostMb: Math.round(mostMb), afterMb: Math.round(afterMb) },
    untouched: [untouched, after],
    smuggled: sites.includes(SMUGGLED_SITE),
    complaints: complaintsIn(log),
    leaks: [...secrets].filter(([, secret]) => `${log}${screen}`.includes(secret)).map(([what]) => what),
    stopped: { code, saidSo: screen.trimEnd().endsWith('Stopped.') },
  });
}

/* ---- What there is to attack -------------------------------------------------------------------------------------- */

async function prepare(server: ServerProcess, api: ApiClient) {
  const secrets = new Map<string, string>([['the token of npm start', server.token]]);
  const expect = async (status: number, method: string, path: string, options: Parameters<ApiClient['request']>[2]) => {
    const answer = await api.request(method, path, options);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json as Record<string, string>;
  };
  async function makeToken(name: string, wanted: object): Promise<string> {
    const body = { name, scopes: SCOPES, sites: '*', defaultSite: 'home', ...wanted };
    const { token = '' } = await expect(201, 'POST', '/tokens', { body });
    secrets.set(`the token ${name}`, token);
    return token;
  }
  for (const id of ['calm', 'scratch', 'empty', 'rogue']) await expect(201, 'POST', '/sites', { body: { id } });
  for (const site of ['home', 'calm']) {
    const content = Buffer.from(CALM_CSV).toString('base64');
    await expect(200, 'POST', '/devices/import', { site, body: { content } });
  }
  const token = await makeToken('attacker', {});
  await waitFor('the answer to a command', async () => {
    const { status } = await api.request('GET', '/nettools/interfaces', { token });
    return status === 200;
  });
  const [job] = (await expect(200, 'GET', '/jobs', {})).jobs as unknown as { id: string }[];

  const enrolled = await enrolAgent(
    {
      url: server.url,
      async request(method, path, options) {
        const answer = await api.request(method, path, options);
        const { code } = answer.json as { code?: string };
        if (code !== undefined) secrets.set('an enrolment code', code);
        return answer;
      },
    },
    'rogue',
    'agent',
  );
  for (const line of enrolled.identity.key.split('\n').filter((text) => /^[\w+/=]{40,}$/.test(text))) {
    secrets.set(`a line of an agent's key ${secrets.size}`, line);
  }
  const agent = await startStandIn({ request: api.request, brokerPort: server.brokerPort }, enrolled);
  const rogueToken = await makeToken('rogue', { sites: ['rogue'], defaultSite: 'rogue' });
  const loot: Loot = {
    token,
    expendable: await makeToken('expendable', {}),
    sites: { read: 'home', write: 'scratch', withoutAgents: 'empty' },
    job: job?.id ?? '',
  };
  const world: World = {
    port: server.port,
    brokerPort: server.brokerPort,
    api,
    loot,
    rogue: { enrolled, agent, site: 'rogue', token: rogueToken },
    victim: 'home:main',
  };
  await sleep(1_500); // Until the token that is to have expired has done so.
  return { loot, world, secrets };
}

/** What must be the same afterwards: the devices of two sites, a site that nobody touches, a command, and the agent. */
async function lookAtUntouched({ request }: ApiClient, { loot, victim }: World): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const [path, site] of [
    ['/devices/export/json?columns=all', 'home'],
    ['/devices/export/json?columns=all', 'calm'],
    ['/devices/network/topology', 'calm'],
    ['/sites/calm/agents', 'calm'],
    ['/jobs', 'calm'],
    [`/jobs/${loot.job}`, 'home'],
  ] as const) {
    const { status, text } = await request('GET', path, { site });
    const digest = createHash('sha256')
      .update(text.replace(/"requestId":"[^"]*"/, ''))
      .digest('hex');
    seen[`${site} ${path}`] = `${status}, about ${Math.round(text.length / 100)}00 characters, SHA-256 ${digest}`;
  }
  const { json } = await request('GET', '/sites/home/agents');
  const found = (json as { agents: { id: string; state: string; since: string }[] }).agents.find(
    ({ id }) => id === victim,
  );
  seen['the token of the attacker'] = `${(await request('GET', '/sites', { token: loot.token })).status}`;
  seen[victim] = `${found?.state} since ${found?.since}`;
  return seen;
}

/* ---- The attacks that are made from the tables ---------------------------------------------------------------------- */

async function attackAll(server: ServerProcess, kind: KindOfAttack, number: number, loot: Loot, seed: number) {
  const results = OPERATIONS.map(([name, operation], i) => ({
    name,
    operation,
    // Addresses of their own, so that refused tokens of one do not slow down the others.
    from: `127.${number + 1}.${i + 1}.1`,
    attacks: attacksOn(kind, operation, i, loot, seed),
    outcomes: {} as Record<string, number>,
    faults: [] as string[],
  }));
  const waiting = results.flatMap((result) => result.attacks.map((attack) => ({ ...result, attack })));
  const next = waiting.values();
  async function work(): Promise<void> {
    for (const { operation, from, attack, outcomes, faults } of next) {
      if (server.ended() !== null) return void faults.push(`${attack.name}: ${server.ended()}`);
      const exchanged = await exchange(server.port, { from, ...attack.wire });
      for (const answer of exchanged.answers) outcomes[outcomeOf(answer)] = (outcomes[outcomeOf(answer)] ?? 0) + 1;
      const fault = faultOf(operation, exchanged, attack);
      if (fault !== null) faults.push(`${attack.name.slice(0, 200)}: ${fault}`);
    }
  }
  await Promise.all(Array.from({ length: connectionsAtOnce(kind) }, work));
  for (const { name: operation, outcomes, faults } of results) {
    const more = faults.length > FAULTS_SHOWN ? [`and ${faults.length - FAULTS_SHOWN} more`] : [];
    tell({ event: 'attacked', operation, kind, outcomes, faults: [...faults.slice(0, FAULTS_SHOWN), ...more] });
  }
}

/* ---- The log -------------------------------------------------------------------------------------------------------- */

const ERROR_LEVEL = 50;
/** Whatever is the level of the line: nothing that was foreseen is one of these. What did not answer in time is not. */
const DEFECTS = /^(?:Type|Range|Reference|Syntax|Assertion)Error$/;

/** Errors, defects, and whatever is no line of the log, such as a complaint of Node.js itself. */
function complaintsIn(log: string): string[] {
  const complaints = log.split('\n').filter((line) => {
    if (line === '') return false;
    try {
      const { level, err } = JSON.parse(line) as { level: number; err?: { type: string } };
      return level >= ERROR_LEVEL || DEFECTS.test(err?.type ?? '');
    } catch {
      return true;
    }
  });
  return complaints.slice(0, 20).map((line) => line.slice(0, 2_000));
}

await main(process.argv.slice(2));
await new Promise((resolve) => process.stdout.write('', resolve)); // All of it, before we end.
process.exit(0);
