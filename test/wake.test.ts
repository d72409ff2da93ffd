/** Waking a device, from the HTTP request or `lanreach wake` to the agent that it is handed to, and back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childEnvironment } from '../local/config.ts';
import { PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import { nettools } from '../shared/api/nettools.ts';
import { runHere } from './support/cli/command-line.ts';
import { resultFor, type StandIn, standInAt } from './support/enrolled-agent.ts';
import { testApi } from './support/test-api.ts';

const NAS = '00:1E:06:AA:BB:01';
const CSV = `devName,devMAC,devIP,devType,devFavorite,devStatus\nnas,${NAS},192.168.1.20,NAS,0,offline\n`;
const PACKETS = [{ interface: 'eth0', address: '192.168.1.255', port: 9, error: null }];
const SENT = `Sent magic packet to ${NAS} via eth0 192.168.1.255:9\n`;
const PROOF = { awake: true, already: false, afterMs: 13_700, ip: '192.168.1.20' } as const;
const AWAKE = 'Awake after 14 s: 192.168.1.20 answered\n';

const system = testApi({ listens: true });
let site: string;
let agent: StandIn;
beforeAll(async () => {
  site = await system.addSite(CSV);
  agent = await standInAt(system, site, 'main');
});
afterAll(() => agent?.[Symbol.asyncDispose]());

const wake = (body: object) => system.request('POST', '/nettools/wakeonlan', { site, body });

/** What the agent has got, when it has answered with this. */
async function answered(changes: Parameters<typeof resultFor>[1]) {
  const request = await agent.take();
  await agent.say(request.replyTo, resultFor(request, changes));
  return request;
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
    const [woken, { command }] = await Promise.all([wake({ devName: 'nas', verify: true }), answered(PROVED)]);
    expect(command).toEqual({ tool: 'wakeonlan', mac: NAS, verify: true, ip: '192.168.1.20' });
    const message = 'WOL packet sent: awake after 14 s: 192.168.1.20 answered';
    expect(woken).toMatchObject({ status: 200, json: { message } });
    expect(nettools.wakeOnLan.response.parse(woken.json).result?.verified).toEqual(PROOF);
  });

  test.each([
    ['no sign', NO_SIGN, 'Cannot run wakeonlan: no sign of it in 120 s'],
    ['an agent that does not know how to verify', SUCCESS, expect.any(String)],
  ])('verified, with %s: a command that has failed', async (_, result, message) => {
    const [failed] = await Promise.all([wake({ devMac: NAS, verify: true }), answered(result)]);
    expect(failed).toMatchObject({ status: 500, json: { success: false, code: 'command_failed', message } });
  });

  test('a repeated request joins the wake that is under way, although the address of the device has changed', async () => {
    const headers = { 'idempotency-key': 'wake', prefer: 'wait=0' };
    const again = (body: object) => system.request('POST', '/nettools/wakeonlan', { site, body, headers });
    const [first] = await Promise.all([again({ devName: 'nas', verify: true }), agent.take()]);
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

  test.each(['nas', '001e.06aa.bb01', '192.168.1.20'])('%s names the device', async (name) => {
    const [ran, { command }] = await Promise.all([run(name), answered(SUCCESS)]);
    expect(ran).toEqual({ code: 0, stdout: SENT, stderr: '' });
    expect(command).toEqual({ tool: 'wakeonlan', mac: NAS });
  });

  test('--wait shows the lines as they come, or the answer as JSON, which say when the device was awake', async () => {
    const speaks = async () => {
      const request = await agent.take();
      expect(request.command).toMatchObject({ verify: true, ip: '192.168.1.20' });
      const { id } = request;
      await agent.say(request.replyTo, { v: PROTOCOL_VERSION, t: 'output', id, at: 0, text: SENT });
      await agent.say(request.replyTo, { v: PROTOCOL_VERSION, t: 'output', id, at: SENT.length, text: AWAKE });
      await agent.say(request.replyTo, resultFor(request, PROVED));
    };
    const [ran] = await Promise.all([run('nas', '--wait'), speaks()]);
    expect(ran).toEqual({ code: 0, stdout: SENT + AWAKE, stderr: '' });
    const [{ stdout }] = await Promise.all([run('nas', '--wait', '--json'), answered(PROVED)]);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, result: { verified: PROOF } });
  });

  test.each([[[]], [['--json']]])('--wait without a sign ends with exit code 1 (%j)', async (more) => {
    const [ran] = await Promise.all([run('nas', '--wait', ...more), answered(NO_SIGN)]);
    expect(ran).toMatchObject({ code: 1, stdout: more.length === 0 ? NO_SIGN.output : '' });
    expect(ran.stderr).toMatch(/^lanreach: .*no sign of it in 120 s\n$/);
  });
});
