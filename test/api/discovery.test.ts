/** Discovery the whole way: from what an agent sees in cycle after cycle, over ingest and the database, to the API. */
import { expect, test } from 'vitest';
import { openStores, type Stores } from '../../functions/stores.ts';
import { type Consumption, withRequestCost } from '../../functions/table/request-cost.ts';
import { ALL_MACS } from '../../shared/agent/discovery.ts';
import { topics } from '../../shared/agent/topics.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import { dailyUse, IOT_UNIT_BYTES, READS_OF_A_MESSAGE } from '../bench/costs/discovery.ts';
import { standInAt } from '../support/enrolled-agent.ts';
import { macOf } from '../support/fixtures.ts';
import { sightingsMessage } from '../support/ingest-messages.ts';
import { storeSite } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';
import { ipOf, startWatchingAgent } from '../support/watching-agent.ts';
import { memoryTable } from '../test-table.ts';

const engine = memoryTable();
const system = testApi();

let sites = 0;
async function freshSite(site = `site-${++sites}`): Promise<{ site: string; stores: Stores }> {
  const stores = openStores(engine.open(), () => new Date());
  await storeSite(stores, site);
  return { site, stores };
}

/** Numbers from 0 to 1 that are as good as random, and the same in each run (a linear congruential generator). */
function seeded(state: number): () => number {
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const consumed = (work: () => Promise<unknown>): Promise<Consumption> =>
  withRequestCost(async (consumption) => {
    await work();
    return consumption;
  });

test('an idle site: in a day no database write, at most one message an hour, and no write to the disk of the agent', async () => {
  const { site, stores } = await freshSite();
  await using agent = await startWatchingAgent(stores, site);
  for (let i = 0; i < 20; i++) agent.hosts.set(macOf(i), { ip: ipOf(i), name: `host-${i}.lan` });
  // The first hour is not idle: all devices are new, and are told a second time when the agent has seen them again.
  for (let minute = 0; minute < 60; minute++) await agent.cycle();
  const { version } = await stores.devices.snapshot(site);
  expect((await stores.devices.snapshot(site)).size).toBe(21);

  let messages = 0;
  for (let hour = 0; hour < 26; hour++) {
    const [sent, saves] = [agent.sent.length, agent.saves];
    const { writeUnits } = await consumed(async () => {
      for (let minute = 0; minute < 60; minute++) await agent.cycle();
    });
    expect(writeUnits).toBe(0);
    const told = agent.sent.length - sent;
    expect(told).toBeLessThanOrEqual(1);
    // The number of a digest is kept before it is sent, and that it was stored afterwards.
    expect(agent.saves - saves).toBeLessThanOrEqual(2 * told);
    messages += told;
  }
  // The digest of the day.
  expect(messages).toBe(1);
  expect((await stores.devices.snapshot(site)).version).toBe(version);
});

test('1,000 devices, 1 % transitions a cycle: a write for each transition, and four for a message at most', async () => {
  const { site, stores } = await freshSite();
  await using agent = await startWatchingAgent(stores, site);
  for (let i = 0; i < 1000; i++) agent.hosts.set(macOf(i), { ip: ipOf(i) });
  await agent.cycle();
  let most = 0;
  let transitions = 0;
  let told = agent.lastChange;
  for (let cycle = 0; cycle < 30; cycle++) {
    const group = (at: number) => Array.from({ length: 5 }, (_, i) => at * 5 + i);
    for (const i of group(cycle)) agent.hosts.delete(macOf(i));
    if (cycle >= 10) for (const i of group(cycle - 10)) agent.hosts.set(macOf(i), { ip: ipOf(i) });
    const sent = agent.sent.length;
    const { writeUnits } = await consumed(() => agent.cycle());
    const messages = agent.sent.slice(sent);
    // A digest repeats everything, and changes nothing.
    const sightings = messages.filter(({ covers }) => covers === null).flatMap((message) => message.sightings);
    // Messages repeat what is not confirmed, and nothing is written for that.
    const changes = new Set(sightings.map(({ n }) => n).filter((n) => n > told));
    told = agent.lastChange;
    expect(writeUnits).toBeLessThanOrEqual(changes.size + 4 * messages.length);
    most = Math.max(most, changes.size);
    transitions += changes.size;
  }
  // Five that are back, five that are gone, and with them the five that fell silent a look later.
  expect(most).toBe(15);
  expect(transitions).toBeGreaterThan(200);
});

test('a site of 100 devices that change five times a day uses what the model of costs says', async () => {
  const { site, stores } = await freshSite();
  await using agent = await startWatchingAgent(stores, site);
  for (let i = 0; i < 100; i++) agent.hosts.set(macOf(i), { ip: ipOf(i), name: `host-${i}.lan` });
  for (let minute = 0; minute < 60; minute++) await agent.cycle();
  const random = seeded(1);
  const from = agent.sent.length;
  const before = agent.lastChange;
  const { version } = await stores.devices.snapshot(site);
  const HOURS = 6;
  const { writeUnits, readUnits } = await consumed(async () => {
    for (let minute = 0; minute < HOURS * 60; minute++) {
      for (let i = 0; i < 100; i++) {
        if (random() >= 5 / 1440) continue;
        if (!agent.hosts.delete(macOf(i))) agent.hosts.set(macOf(i), { ip: ipOf(i), name: `host-${i}.lan` });
      }
      await agent.cycle();
    }
  });
  const messages = agent.sent.slice(from);
  const transitions = agent.lastChange - before;
  const versions = (await stores.devices.snapshot(site)).version - version;
  // The model of costs reckons with these.
  expect(writeUnits).toBe(transitions + 2 * versions);
  expect(readUnits).toBeLessThanOrEqual(READS_OF_A_MESSAGE * messages.length);
  expect(messages.filter(({ answer }) => answer !== false).length).toBeLessThanOrEqual(2 * HOURS + 1);
  expect(Math.max(...messages.map((message) => JSON.stringify(message).length))).toBeLessThanOrEqual(IOT_UNIT_BYTES);
  const model = dailyUse(100, { transitionsPerDevice: (transitions * (24 / HOURS)) / 100 });
  expect(messages.length).toBeGreaterThan((model.messages * HOURS) / 24 / 1.15);
  expect(messages.length).toBeLessThan(((model.messages * HOURS) / 24) * 1.15);
});

test.each([
  ['PATCH', `/devices/${macOf(1)}`, { devAlertDown: 1 }],
  ['PATCH', '/devices', { devices: [macOf(1)], set: { devAlertDown: 1 } }],
])('agents tell everything after %s %s, so that the answer says of whom people want to be alerted', async (...edit) => {
  const site = await system.addSite(`devName,devMac\nnas,${macOf(1)}`);
  await system.request('PATCH', `/sites/${site}`, { site, body: { discovery: { enabled: true } } });
  await using agent = await standInAt(system, site, 'main');
  const [method, path, body] = edit;
  expect((await system.request(method, path, { site, body })).status).toBe(200);
  await expect.poll(() => agent.discovery.filter(({ t }) => t === 'digest').length).toBe(1);
});

test.each([
  ['DELETE', '/devices'],
  ['DELETE', '/devices/unknown'],
  ['DELETE', `/devices/${macOf(1)}`],
  ['POST', '/devices/import?mode=replace'],
])('a device that is there comes back as new after %s %s, and can be restored as it was', async (method, path) => {
  const site = await system.addSite();
  const ask = (verb: string, what: string, body?: unknown) => system.request(verb, what, { site, body });
  await ask('PATCH', `/sites/${site}`, { discovery: { enabled: true } });
  await using agent = await standInAt(system, site, 'main');
  const epoch = Date.now() - 60_000;
  const [there, gone] = [macOf(1), macOf(2)];
  const say = async (n: number, isOnline: boolean, digest: boolean) => {
    const seen = { since: epoch, seenAt: epoch, ip: '10.0.0.1' };
    const sightings = [
      { ...seen, mac: there, n: 1, online: true },
      { ...seen, mac: gone, n: isOnline ? 2 : 3, online: isOnline },
    ];
    const message = sightingsMessage({ epoch, n, covers: digest ? ALL_MACS : null, sightings });
    await agent.publish(topics.sightings(agent.client), message);
    await expect.poll(() => agent.discovery.some((one) => one.t === 'sighted' && one.n === n)).toBe(true);
  };
  await say(2, true, false);
  await say(3, false, false);
  await ask('PATCH', `/devices/${there}`, { devOwner: 'Anna' });
  expect(agent.discovery.filter(({ t }) => t === 'digest')).toEqual([]);

  const content = Buffer.from('devName,devMAC\nnas,00:1E:06:00:0F:0F\n').toString('base64');
  const body = path.includes('import') ? { content } : undefined;
  const { status, json } = await ask(method, path, body);
  expect(status).toBe(200);
  await expect.poll(() => agent.discovery.filter(({ t }) => t === 'digest').length).toBe(1);
  await say(4, false, true);
  const list = async () => {
    const { devices } = (await ask('GET', '/devices?fields=all')).json as { devices: DeviceRecord[] };
    return devices.filter(({ devMac }) => devMac === there).map(({ devIsNew, devOwner }) => [devIsNew, devOwner]);
  };
  expect(await list()).toEqual([[1, '']]);
  expect((await ask('GET', `/devices/${gone}`)).status).toBe(path.includes(there) ? 200 : 404);

  const { change } = json as { change: string };
  expect((await ask('POST', '/devices/restore', { change })).status).toBe(200);
  expect(await list()).toEqual([[1, 'Anna']]);
});
