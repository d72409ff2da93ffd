import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeTestFolder } from '../../support/test-folder.ts';
import { startTestSystem, type TestSystem } from '../../test-system.ts';

const WAIT = { timeout: 60_000, interval: 10 };

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem({ LOG_LEVEL: 'info' });
});
afterAll(() => system.close());

/** Asks again and again until the answer is 200; every other answer meanwhile must be a clear 5xx. */
async function recovers(method: string, path: string, body?: unknown): Promise<void> {
  for (;;) {
    const { status, json } = await system.request(method, path, body === undefined ? {} : { body });
    if (status === 200) return;
    expect([500, 503]).toContain(status);
    expect((json as { code: string }).code).toMatch(/^(?:unavailable|agent_offline|agent_silent|command_failed)$/);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function killed(pid: number | null | undefined): void {
  if (!pid) throw new Error('the process does not run');
  process.kill(pid, 'SIGKILL');
}

const traceroute = { devLastIP: '127.0.0.1' };

test('the database is killed: clear answers, then it is back with everything', async () => {
  await system.importCsv('devName,devMAC\nnas,00:1E:06:AA:BB:01\n');
  const before = (await system.request('GET', '/devices?fields=all')).text;
  const restarts = system.system.parts.database?.restarts ?? 0;
  killed(system.system.parts.database?.pid);
  await expect.poll(() => system.system.parts.database?.restarts).toBeGreaterThan(restarts);
  await recovers('GET', '/health/ready'); // The database itself answers, and not the memory of this process.
  expect((await system.request('GET', '/devices?fields=all')).text).toBe(before);
  await recovers('POST', '/nettools/traceroute', traceroute);
});

test('the agent is killed: it is back, and runs commands again', async () => {
  const { restarts } = system.system.parts.agent;
  killed(system.system.parts.agent.pid);
  await expect.poll(() => system.system.parts.agent.restarts).toBeGreaterThan(restarts);
  await recovers('POST', '/nettools/traceroute', traceroute);
});

test('the broker goes away and comes back on its port', async () => {
  await system.system.parts.restartBroker();
  await recovers('POST', '/nettools/traceroute', traceroute);
  const { json } = await system.request('GET', '/health/ready', { token: null });
  expect(json).toEqual({ status: 'ready' });
});

test('a scan that runs while the broker is restarted ends normally', async () => {
  const scan = system.request('POST', '/nettools/nmap', { body: { scan: '127.0.0.0/25', mode: 'skipdiscovery' } });
  // The API writes that down when the agent has acknowledged the command: what is lost on the way before is another case.
  const isRunning = async () => (await system.request('GET', '/jobs?limit=1')).text.includes('"running"');
  await vi.waitUntil(isRunning, WAIT);
  await system.system.parts.restartBroker();
  const { status, json } = await scan;
  expect([status, json]).toMatchObject([200, { success: true, mode: 'skipdiscovery' }]);
});

test('imports that were acknowledged while the database was being killed are all there', {
  timeout: 360_000,
}, async () => {
  // A change that was cut off in the middle keeps the next ones waiting for half a minute.
  const wait = { ...WAIT, timeout: 60_000 };
  const site = await system.addSite();
  const acknowledged: string[] = [];
  const mac = (n: number) =>
    (0x1e0700000000 + n)
      .toString(16)
      .toUpperCase()
      .replace(/(..)(?!$)/g, '$1:');
  let writing = true;
  const killer = (async () => {
    for (let i = 0; i < 3; i++) {
      const soFar = acknowledged.length;
      await vi.waitUntil(() => acknowledged.length > soFar + 2, wait);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50)); // In the middle of one, or between two.
      killed(system.system.parts.database?.pid);
    }
  })().finally(() => {
    writing = false;
  });
  for (let n = 0; writing; n++) {
    const content = Buffer.from(`devMAC,devName\n${mac(n)},device ${n}\n`).toString('base64');
    const { status } = await system.request('POST', '/devices/import', { site, body: { content } });
    if (status === 200) acknowledged.push(mac(n));
    else expect([409, 503]).toContain(status);
  }
  await killer;
  await recovers('GET', '/health/ready'); // The database itself answers, and not the memory of this process.
  const { json } = await system.request('GET', '/devices', { site });
  const stored = new Set((json as { devices: { devMAC: string }[] }).devices.map(({ devMAC }) => devMAC));
  expect(acknowledged.length).toBeGreaterThanOrEqual(9);
  expect(acknowledged.filter((one) => !stored.has(one))).toEqual([]);
  const totals = (await system.request('GET', '/devices/totals', { site })).json as number[];
  expect(totals[0]).toBe(stored.size);
});

test('a second start on the same folder is refused; after the first has gone, everything is there', async () => {
  await using folder = makeTestFolder();
  const first = await startTestSystem({ LANREACH_DATA: folder.path });
  await first.importCsv('devName,devMAC\nnas,00:1E:06:AA:BB:01\n');
  const list = (await first.request('GET', '/devices?fields=all')).text;
  await expect(startTestSystem({ LANREACH_DATA: folder.path })).rejects.toThrow(/process \d+|pid \d+/i);
  const { token } = first;
  await first.system.close();
  const second = await startTestSystem({ LANREACH_DATA: folder.path });
  expect(second.token).toBe(token);
  expect((await second.request('GET', '/devices?fields=all')).text).toBe(list);
  expect((await second.request('POST', '/nettools/traceroute', { body: traceroute })).status).toBe(200);
  await second.close();
});
