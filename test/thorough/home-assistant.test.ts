/** `lanreach home-assistant` between the API and Mosquitto: what Home Assistant receives, in the forms that it documents. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { topics } from '../../shared/agent/topics.ts';
import { wakeOnLan } from '../../shared/tools/wake-on-lan.ts';
import { PROGRAM } from '../support/cli/command-line.ts';
import { resultFor, type StandIn, standInAt } from '../support/enrolled-agent.ts';
import { freePort } from '../support/free-port.ts';
import { provideMosquitto, startMosquitto } from '../support/mosquitto.ts';
import { testApi } from '../support/test-api.ts';
import { makeTestAuthority } from '../support/test-authority.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const mosquitto = await provideMosquitto();
const port = await freePort();

/** The fields that Home Assistant documents, as short forms; any other would be refused by it, or is a mistake. */
const Topic = z.string().regex(/^[a-zA-Z0-9_-]+(?:\/[a-zA-Z0-9_-]+)*$/);
const Id = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const common = { uniq_id: Id, name: z.string().min(1).nullable(), en: z.boolean().optional() };
const Component = z.discriminatedUnion('p', [
  z.strictObject({
    ...{ ...common, p: z.literal('device_tracker'), src_type: z.literal('router'), json_attr_t: Topic },
    ...{ stat_t: Topic.optional(), payload_home: z.string().optional(), payload_not_home: z.string().optional() },
  }),
  z.strictObject({
    ...common,
    p: z.literal('binary_sensor'),
    dev_cla: z.enum(['connectivity', 'problem']),
    stat_t: Topic,
  }),
  z.strictObject({
    ...{ ...common, p: z.literal('sensor'), stat_t: Topic, stat_cla: z.literal('measurement').optional() },
    ...{ dev_cla: z.enum(['data_rate', 'duration']).optional(), unit_of_meas: z.enum(['Mbit/s', 'ms']).optional() },
  }),
  z.strictObject({ ...common, p: z.literal('button'), cmd_t: Topic, pl_prs: z.literal('PRESS') }),
]);
const Config = z.strictObject({
  dev: z.strictObject({
    ids: z.array(Id).min(1),
    cns: z.array(z.tuple([z.literal('mac'), z.string().regex(/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/)])).optional(),
    name: z.string().min(1).max(100),
    ...{ mf: z.string().optional(), mdl: z.string().optional(), cu: z.url({ protocol: /^https?$/ }).optional() },
  }),
  o: z.strictObject({ name: z.literal('LanReach'), sw: z.string(), url: z.url().optional() }),
  avty: z.array(z.strictObject({ t: Topic })).min(1),
  avty_mode: z.literal('all'),
  qos: z.literal(1),
  cmps: z.record(Id, Component),
});

const CSV = [
  'devName,devMAC,devIP,devType,devFavorite,devStatus',
  'nas,02:AA:BB:CC:00:01,10.0.0.1,NAS,1,offline',
  '"+/#/../ ☠\u202enas ""x""",02:AA:BB:CC:00:02,10.0.0.2,,1,offline',
  'tablet,02:AA:BB:CC:00:03,10.0.0.3,,0,offline',
].join('\n');
const NAS = 'lanreach/SITE/02aabbcc0001';
const NAS_CONFIG = 'homeassistant/device/lanreach_SITE_02aabbcc0001/config';

describe.skipIf(mosquitto === null)('Home Assistant', () => {
  const api = testApi({ listens: true });
  const folder = makeTestFolder();
  afterAll(() => folder.remove());

  /** A listener that receives what Home Assistant would, in its order. */
  async function listen(login: object = {}) {
    const all: { topic: string; text: string; retain: boolean }[] = [];
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 100, ...login });
    client.on('message', (topic, payload, { retain }) => all.push({ topic, text: payload.toString(), retain }));
    await client.subscribeAsync('#');
    onTestFinished(() => client.endAsync(true));
    return {
      all,
      client,
      last: (topic: string) => all.findLast((one) => one.topic === topic)?.text,
      count: (topic: string) => all.filter((one) => one.topic === topic).length,
      /** What the broker has kept, as one sees it who comes later. */
      async kept() {
        const late = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, login);
        const found = new Map<string, string>();
        late.on('message', (topic, payload, { retain }) => void (retain && found.set(topic, payload.toString())));
        await late.subscribeAsync('#');
        await late.publishAsync('end', '', { qos: 1 });
        await new Promise((resolve) => setTimeout(resolve, 200));
        await late.endAsync(true);
        return found;
      },
    };
  }

  function startBridge(token: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const own = { PATH: process.env.PATH, HOME: folder.path, LANREACH_URL: api.url, LANREACH_TOKEN: token, ...env };
    const broker = ['--broker', `mqtt://127.0.0.1:${port}`];
    const child = spawn(process.execPath, [PROGRAM, 'home-assistant', ...broker, ...args], { env: own });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ended, said: () => said };
  }

  async function siteWithAgent() {
    const site = await api.addSite(CSV);
    await api.request('PATCH', `/sites/${site}`, { body: { name: `Site ${site}`, discovery: { enabled: true } } });
    const agent = await standInAt(api, site, 'main', { state: 'on', networks: ['10.0.0.0/24'] });
    const epoch = Date.now() - 60_000;
    let n = 0;
    const see = async (mac: string, ip: string, online: boolean) => {
      const sightings = [{ mac, ip, n: ++n, online, since: epoch, seenAt: epoch + n }];
      const message = { v: PROTOCOL_VERSION, t: 'sightings', epoch, n, covers: null, sightings };
      await agent.publish(topics.sightings(agent.client), Buffer.from(JSON.stringify(message)));
    };
    return { site, agent, see, of: (text: string) => text.replace('SITE', site) };
  }

  test('devices and totals appear in documented forms, follow events, restarts and deletions, and end as offline', async () => {
    let broker = await startMosquitto(folder.path, port);
    onTestFinished(() => broker.kill());
    const { site, agent, see, of } = await siteWithAgent();
    onTestFinished(() => agent[Symbol.asyncDispose]());
    const heard = await listen();
    const bridge = startBridge(await api.createToken({ scopes: ['devices:read'], sites: [site] }));
    const last = (topic: string) => heard.last(of(topic));

    await expect.poll(() => last(`${NAS}/down`), { message: bridge.said() }).toBe('OFF');
    await expect.poll(() => last('lanreach/status')).toBe('online');
    const configs = heard.all.filter(({ topic }) => topic.endsWith('/config'));
    expect(configs.map(({ topic }) => topic).sort()).toEqual(
      ['lanreach_SITE', 'lanreach_SITE_02aabbcc0001', 'lanreach_SITE_02aabbcc0002'].map(
        (id) => `homeassistant/device/${of(id)}/config`,
      ),
    );
    const parsed = configs.map(({ text }) => Config.parse(JSON.parse(text)));
    const entities = parsed.flatMap(({ cmps }) => Object.values(cmps));
    expect(new Set(entities.map(({ uniq_id }) => uniq_id)).size).toBe(entities.length);
    expect(entities.filter(({ p }) => p === 'button')).toEqual([]);
    // Each state that an entity reads is published, except speeds that were not measured.
    for (const entity of entities) {
      const { stat_t, json_attr_t } = entity as { stat_t?: string; json_attr_t?: string };
      const isSpeed = /\/(?:download|upload|ping)$/.test(stat_t ?? '');
      expect(heard.count(stat_t ?? json_attr_t ?? ''), stat_t).toBe(isSpeed ? 0 : 1);
    }
    for (const { topic } of heard.all) expect(topic).toMatch(/^[a-zA-Z0-9_/-]+$/);
    expect(heard.all.findIndex(({ topic }) => topic === of(NAS_CONFIG))).toBeLessThan(
      heard.all.findIndex(({ topic }) => topic === of(`${NAS}/online`)),
    );
    const hostile = parsed.find(({ dev }) => dev.ids[0]?.endsWith('0002'));
    expect(hostile?.dev.name).not.toMatch(/[\u202e\n]/u);
    expect(last(`lanreach/SITE/agent`)).toBe('ON');
    expect([last('lanreach/SITE/devices'), last('lanreach/SITE/favorites')]).toEqual(['3', '2']);
    expect(JSON.parse(last(`${NAS}/presence`) ?? '')).toEqual({ in_zones: [] });

    // The stream brings it: a reading without one comes after half a minute at least.
    const seenAt = performance.now();
    await see('02:AA:BB:CC:00:01', '10.0.0.1', true);
    await expect.poll(() => last(`${NAS}/online`)).toBe('ON');
    expect(performance.now() - seenAt).toBeLessThan(25_000);
    expect(last(`${NAS}/availability`)).toBe('online');
    expect(JSON.parse(last(`${NAS}/presence`) ?? '')).toEqual({ in_zones: ['zone.home'] });
    const down = heard.count(of(`${NAS}/down`));
    const config = heard.count(of(NAS_CONFIG));
    expect([down, config]).toEqual([1, 1]);

    await api.request('PATCH', `/devices/02:AA:BB:CC:00:03`, { site, body: { devFavorite: 1 } });
    const tablet = of('homeassistant/device/lanreach_SITE_02aabbcc0003/config');
    await expect.poll(() => heard.last(tablet) ?? '').toContain('"tablet"');
    await api.request('DELETE', `/devices/02:AA:BB:CC:00:03`, { site });
    await expect.poll(() => heard.last(tablet)).toBe('');
    await expect.poll(async () => [...(await heard.kept()).keys()].filter((one) => one.includes('0003'))).toEqual([]);
    expect(heard.count(of(NAS_CONFIG))).toBe(config);

    await heard.client.publishAsync('homeassistant/status', 'online');
    await expect.poll(() => heard.count(of(NAS_CONFIG))).toBe(config + 1);
    await expect.poll(() => heard.count(of(`${NAS}/down`))).toBe(down + 1);

    await broker.kill();
    broker = await startMosquitto(folder.path, port);
    await expect.poll(async () => (await heard.kept()).get(of(NAS_CONFIG))).toBeDefined();
    await expect.poll(async () => (await heard.kept()).get(of(`${NAS}/online`))).toBe('ON');
    expect((await heard.kept()).get('lanreach/status')).toBe('online');

    await agent[Symbol.asyncDispose]();
    await expect
      .poll(async () => (await heard.kept()).get(of(`${NAS}/availability`)), { timeout: 120_000 })
      .toBe('offline');
    expect((await heard.kept()).get(of('lanreach/SITE/agent'))).toBe('OFF');

    bridge.child.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    expect((await heard.kept()).get('lanreach/status')).toBe('offline');
    expect(bridge.said()).not.toContain('lr_');
  });

  test('a wake button only with the scope; what went away meanwhile is removed; a lost bridge is offline', async () => {
    await using _broker = await startMosquitto(folder.path, port);
    const { site, agent, of } = await siteWithAgent();
    await using _ = agent;
    const heard = await listen();
    const token = await api.createToken({ scopes: ['devices:read', 'nettools:run'], sites: [site] });
    const first = startBridge(token, ['--tracker-state', '--zone', 'zone.office']);
    await expect.poll(() => heard.last('lanreach/status'), { message: first.said() }).toBe('online');
    await expect.poll(() => heard.last(of(`${NAS}/down`))).toBe('OFF');
    const { cmps } = Config.parse(JSON.parse(heard.last(of(NAS_CONFIG)) ?? ''));
    expect(cmps.wake).toMatchObject({ p: 'button', en: false, cmd_t: of(`${NAS}/wake`) });
    expect(cmps.tracker).toMatchObject({ stat_t: of(`${NAS}/tracker`) });
    expect(heard.last(of(`${NAS}/tracker`))).toBe('not_home');

    await heard.client.publishAsync(of(`${NAS}/wake`), 'PRESS', { retain: true });
    await heard.client.publishAsync(of(`${NAS}/wake`), '', { retain: true });
    for (const topic of ['lanreach/other/02aabbcc0001/wake', of('lanreach/SITE/02aabbcc0099/wake'), of(`${NAS}/wake`)])
      await heard.client.publishAsync(topic, topic.startsWith(of(NAS)) ? 'wake up' : 'PRESS');
    await woken(agent, heard.client, of(`${NAS}/wake`));
    await expect.poll(first.said).toMatch(/(?:Woke|Cannot wake) .*/);
    expect(first.said()).toContain('Woke 02:AA:BB:CC:00:01');

    first.child.kill('SIGKILL');
    await expect.poll(() => heard.last('lanreach/status')).toBe('offline');
    await api.request('DELETE', '/devices/02:AA:BB:CC:00:02', { site });
    const stale = of('homeassistant/device/lanreach_SITE_02aabbcc0002/config');
    const foreign = 'homeassistant/device/lanreach_old_02aabbcc0001/config';
    await heard.client.publishAsync(foreign, '{"o":{"name":"another program"}}', { retain: true });
    expect((await heard.kept()).get(stale)).toContain('0002');

    const second = startBridge(await api.createToken({ scopes: ['devices:read'], sites: [site] }));
    await expect.poll(async () => (await heard.kept()).get(stale), { message: second.said() }).toBe(undefined);
    const steps = () =>
      heard.all.filter(({ topic }) => topic === of(NAS_CONFIG)).map(({ text }) => JSON.parse(text).cmps.wake);
    await expect.poll(() => steps().slice(-2)).toEqual([{ p: 'button' }, undefined]);
    expect((await heard.kept()).get(foreign)).toContain('another program');

    const { json } = await api.request('GET', '/tokens');
    const { tokens } = json as { tokens: { id: string; sites: string[]; scopes: string[] }[] };
    const ids = tokens.filter(({ sites, scopes }) => sites.includes(site) && scopes.length === 1).map(({ id }) => id);
    for (const id of ids) await api.request('DELETE', `/tokens/${id}`);
    expect(await second.ended).toBe(3);
    expect((await heard.kept()).get('lanreach/status')).toBe('offline');
  });

  /** The request of a wake, which the agent carries out. */
  async function woken(agent: StandIn, client: mqtt.MqttClient, topic: string): Promise<void> {
    expect(agent.requests).toEqual([]);
    await client.publishAsync(topic, 'PRESS');
    await client.publishAsync(topic, 'PRESS');
    const request = await agent.take();
    expect(JSON.stringify(request)).toContain('02:AA:BB:CC:00:01');
    await agent.say(request.replyTo, resultFor(request, wakeOnLan.example));
    expect(agent.requests).toHaveLength(1);
  }

  test("the broker's password is never an argument, a wrong one ends the command, and a certificate is checked", async () => {
    const authority = await makeTestAuthority();
    const tls = { ...authority.broker, port: await freePort() };
    await using _broker = await startMosquitto(folder.path, port, { lan: 'a password' }, tls);
    const ca = join(folder.path, 'ca.pem');
    await writeFile(ca, authority.certificate);
    const { site, agent } = await siteWithAgent();
    await using _ = agent;
    const token = await api.createToken({ scopes: ['devices:read'], sites: [site] });
    const login = { username: 'lan', password: 'a password' };
    const heard = await listen(login);
    const wrong = startBridge(token, ['--username', 'lan'], { LANREACH_MQTT_PASSWORD: 'wrong' });
    expect(await wrong.ended).toBe(3);
    expect(wrong.said()).toContain('Check the user name and the password');
    const overTls = ['--broker', `mqtts://127.0.0.1:${tls.port}`, '--username', 'lan'];
    const unknown = startBridge(token, overTls, { LANREACH_MQTT_PASSWORD: login.password });
    await expect.poll(unknown.said).toMatch(/Cannot connect to the broker: .*certificate.*; trying again/);
    unknown.child.kill('SIGTERM');
    expect([await unknown.ended, heard.count('lanreach/status')]).toEqual([0, 0]);
    const right = startBridge(token, [...overTls, '--ca', ca], { LANREACH_MQTT_PASSWORD: login.password });
    await expect.poll(() => heard.last('lanreach/status'), { message: right.said() }).toBe('online');
    right.child.kill('SIGTERM');
    expect(await right.ended).toBe(0);
    for (const args of [
      ['--broker', 'mqtt://lan:a%20password@127.0.0.1'],
      ['--broker', 'http://127.0.0.1'],
      ['--username', 'lan'],
      ['--prefix', 'a/b'],
      ['--zone', 'home'],
    ]) {
      const refused = startBridge(token, args);
      expect([await refused.ended, refused.said().includes('a%20password')]).toEqual([2, false]);
    }
  });
});
