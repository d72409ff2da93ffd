/** Waking a device, from the HTTP request or `lanreach wake` to the agent that it is handed to, and back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childEnvironment } from '../local/config.ts';
import { PROTOCOL_VERSION, type Request } from '../shared/agent/messages.ts';
import { nettools } from '../shared/api/nettools.ts';
import { runHere } from './support/cli/command-line.ts';
import { ackFor, resultFor, type StandIn, standInAt } from './support/enrolled-agent.ts';
import { startTestApi, type TestApi } from './support/in-process.ts';

const NAS = '00:1E:06:AA:BB:01';
const CSV = [
  'devName,devMAC,devIP,devType,devFavorite,devStatus',
  `nas,${NAS},192.168.1.20,NAS,0,offline`,
  'Lab PC,00:1E:06:AA:BB:02,192.168.1.21,,0,offline',
  'lab pc,00:1E:06:AA:BB:03,192.168.1.22,,0,offline',
  'lab pc,00:1E:06:AA:BB:04,192.168.1.23,,0,archived',
  'camera,,192.168.1.24,,0,offline',
].join('\n');
const PACKETS = [{ interface: 'eth0', address: '192.168.1.255', port: 9, error: null }];
const SENT = `Sent magic packet to ${NAS} via eth0 192.168.1.255:9\n`;
const PROOF = { awake: true, already: false, afterMs: 13_700, ip: '192.168.1.20' } as const;
const AWAKE = 'Awake after 14 s: 192.168.1.20 answered\n';

let system: TestApi;
let site: string;
let main: StandIn;
let attic: StandIn;
beforeAll(async () => {
  system = await startTestApi({ listens: true });
  site = await system.addSite(CSV);
  main = await standInAt(system, site, 'main');
  attic = await standInAt(system, site, 'attic');
});
afterAll(async () => {
  await main?.[Symbol.asyncDispose]();
  await attic?.[Symbol.asyncDispose]();
  await system?.close();
});

const wake = (body: object, query = '') => system.request('POST', `/nettools/wakeonlan${query}`, { site, body });

/** The next request, to whichever of the agents, which takes it. */
async function taken(): Promise<{ agent: StandIn; request: Request }> {
  const over = new AbortController();
  const asked = [main, attic].map(async (agent) => ({ agent, request: await agent.request(over.signal) }));
  for (const one of asked) one.catch(() => {});
  const { agent, request } = await Promise.race(asked);
  over.abort();
  await agent.say(request.replyTo, ackFor(request));
  return { agent, request };
}

/** What the agent has got, when it has answered with this. */
async function answered(changes: Parameters<typeof resultFor>[1]) {
  const { agent, request } = await taken();
  await agent.say(request.replyTo, resultFor(request, changes));
  return { agent: agent.id, command: request.command };
}

const SUCCESS = { output: SENT, result: { mac: NAS, packets: PACKETS } };
const PROVED = { output: SENT + AWAKE, result: { mac: NAS, packets: PACKETS, verified: PROOF } };
const NO_SIGN = {
  state: 'failed',
  reason: 'tool_failed',
  message: 'no sign of it in 120 s',
  output: `${SENT}No sign of it in 120 s\n`,
} as const;

describe('POST /nettools/wakeonlan', () => {
  test('{devMac} alone is answered as the contract says, and the agent is asked for nothing more', async () => {
    const [{ status, json }, { command }] = await Promise.all([wake({ devMac: NAS }), answered(SUCCESS)]);
    expect([status, json]).toEqual([
      200,
      { success: true, message: 'WOL packet sent', output: SENT, result: { mac: NAS, packets: PACKETS } },
    ]);
    expect(command).toEqual({ tool: 'wakeonlan', mac: NAS });
  });

  test('verified: the last address goes with the command, and the answer says when the device was awake', async () => {
    const [{ status, json }, { command }] = await Promise.all([
      wake({ devName: 'nas', verify: true }),
      answered(PROVED),
    ]);
    expect(command).toEqual({ tool: 'wakeonlan', mac: NAS, verify: true, ip: '192.168.1.20' });
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { message: 'WOL packet sent: awake after 14 s: 192.168.1.20 answered', result: { verified: PROOF } },
    });
    expect(nettools.wakeOnLan.response.parse(json).result?.verified).toEqual(PROOF);
  });

  test('verified, without a sign: a command that has failed', async () => {
    const [{ status, json }] = await Promise.all([wake({ devMac: NAS, verify: true }), answered(NO_SIGN)]);
    expect({ status, json }).toMatchObject({
      status: 500,
      json: { success: false, code: 'command_failed', message: 'Cannot run wakeonlan: no sign of it in 120 s' },
    });
  });

  test('an agent that does not know how to verify proves nothing', async () => {
    const [{ status, json }] = await Promise.all([wake({ devMac: NAS, verify: true }), answered(SUCCESS)]);
    expect([status, json]).toMatchObject([500, { success: false, code: 'command_failed' }]);
  });

  test('a repeated request joins the wake that is under way, although the address of the device has changed', async () => {
    const again = (body: object) =>
      system.request('POST', '/nettools/wakeonlan', {
        site,
        body,
        headers: { 'idempotency-key': 'wake', prefer: 'wait=0' },
      });
    const [first] = await Promise.all([again({ devName: 'nas', verify: true }), taken()]);
    await system.importCsv(CSV.replace('192.168.1.20', '192.168.1.29'), site);
    const second = await again({ devName: 'nas', verify: true });
    expect([first.status, second.status]).toEqual([202, 202]);
    expect((second.json as { id: string }).id).toBe((first.json as { id: string }).id);
    expect((await again({ devName: 'nas' })).status).toBe(422);
    await system.importCsv(CSV, site);
  });
});

describe('lanreach wake', () => {
  const run = (...args: string[]) =>
    runHere(['wake', ...args, '--site', site, '--url', system.url], {
      env: { ...childEnvironment(), LANREACH_TOKEN: system.token },
    });

  test.each([
    ['nas', { mac: NAS }],
    ['001e.06aa.bb01', { mac: NAS }],
    ['192.168.1.20', { mac: NAS }],
  ])('%s names the device', async (name, command) => {
    const [ran, got] = await Promise.all([run(name), answered(SUCCESS)]);
    expect(ran).toEqual({ code: 0, stdout: SENT, stderr: '' });
    expect(got.command).toEqual({ tool: 'wakeonlan', ...command });
  });

  test('--wait shows the lines as they come, and the last one says when the device was awake', async () => {
    const agent = async () => {
      const { agent, request } = await taken();
      expect(request.command).toMatchObject({ verify: true, ip: '192.168.1.20' });
      const { id } = request;
      await agent.say(request.replyTo, { v: PROTOCOL_VERSION, t: 'output', id, at: 0, text: SENT });
      await agent.say(request.replyTo, { v: PROTOCOL_VERSION, t: 'output', id, at: SENT.length, text: AWAKE });
      await agent.say(request.replyTo, resultFor(request, PROVED));
    };
    const [ran] = await Promise.all([run('nas', '--wait'), agent()]);
    expect(ran).toEqual({ code: 0, stdout: SENT + AWAKE, stderr: '' });
  });

  test.each([[[]], [['--json']]])('--wait without a sign ends with exit code 1 (%j)', async (more) => {
    const [ran] = await Promise.all([run('nas', '--wait', ...more), answered(NO_SIGN)]);
    expect(ran).toMatchObject({ code: 1, stdout: more.length === 0 ? NO_SIGN.output : '' });
    expect(ran.stderr).toMatch(/^lanreach: .*no sign of it in 120 s\n$/);
  });

  test('--wait with --json prints the answer', async () => {
    const [ran] = await Promise.all([run('nas', '--wait', '--json'), answered(PROVED)]);
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { success: true, result: { verified: PROOF } }]);
  });

  test('a name that nobody has, and one that several have', async () => {
    expect(await run('attic pc', '--wait')).toMatchObject({ code: 4, stdout: '' });
    const several = await run('lab pc', '--wait');
    expect(several).toMatchObject({ code: 1, stdout: '' });
    expect(several.stderr).toMatch(/2 devices .* have the name "lab pc"; name one by its MAC: 00:1E:06:AA:BB:02 \(/);
  });
});
