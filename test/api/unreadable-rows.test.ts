/** Rows that are not what they should be: they are told of, and nothing else suffers. */
import { gzipSync } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import type { Item } from '../../functions/table/table.ts';
import { admin } from '../../shared/api/admin.ts';
import { hooks } from '../../shared/api/hooks.ts';
import { Job, jobs } from '../../shared/api/jobs.ts';
import { standInAt } from '../support/enrolled-agent.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const put = (item: Item) => system.context.table.put(item);
const TOO_LATE = 9_007_199_254_740_991;

/** The row of a job that has ended, without its key. */
function sound(site: string): Omit<Item, 'pk' | 'sk'> {
  const now = Date.now();
  const command = JSON.stringify({ tool: 'interfaces' });
  const times = { createdAt: now, startedAt: now, endedAt: now, leaseUntil: now + 60_000, ttl: now / 1000 + 3_600 };
  return { state: 'succeeded', agent: `${site}:main`, actor: 'token', command, reason: '', ...times };
}

/** A change that makes it one that cannot be read, and what is said of it. `null` takes an attribute away. */
type Fault = [Record<string, string | number | Uint8Array | null>, string];
const withEach = (names: string, value: Fault[0][string]) =>
  names.split(' ').map((name): Fault => [{ [name]: value }, name]);
const BROKEN: Fault[] = [
  ...withEach('state agent actor command createdAt leaseUntil', null),
  ...withEach('state agent actor command createdAt startedAt endedAt leaseUntil', Buffer.from('bytes')),
  [{ state: 'exploded' }, 'state'],
  [{ agent: 'nobody' }, 'agent'],
  [{ command: '{"tool":' }, 'command: expected JSON'],
  [{ command: '{"tool":"rm"}' }, 'command.tool'],
  [{ command: '{"tool":"nmap","target":{"range":"10.0.0.1"},"mode":"fast"}' }, 'command.target'],
  ...[TOO_LATE, -1, 0.5].flatMap((time) => withEach('createdAt startedAt endedAt', time)),
];

/** All pages of a list, by their cursors. */
async function* pagesOf<Page extends { nextCursor: string | null }>(read: (cursor: string) => Promise<Page>) {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await read(cursor === '' ? '' : `&cursor=${cursor}`);
    yield page;
    cursor = page.nextCursor;
  }
}

/** A site with sound rows of jobs and broken ones in between. */
async function siteWithBrokenJobs() {
  const site = await system.addSite();
  const ids: { sound: string[]; broken: Map<string, string> } = { sound: [], broken: new Map() };
  for (const [changes, problem] of BROKEN) {
    const [good, bad] = [`${site}.${uuidv7()}`, `${site}.${uuidv7()}`];
    await put({ pk: `J#${site}`, sk: good, ...sound(site) });
    const attributes = Object.entries({ ...sound(site), ...changes }).filter(([, value]) => value !== null);
    await put({ ...(Object.fromEntries(attributes) as Item), pk: `J#${site}`, sk: bad });
    ids.sound.unshift(good);
    ids.broken.set(bad, problem);
  }
  // No rows of jobs at all.
  for (const sk of [`${site}.zzz`, `${ids.sound[0]}#CHUNK#0001`]) await put({ pk: `J#${site}`, sk, d: 'x' });
  return { site, ...ids };
}

test('jobs: the list has all that can be read, and names the others; by pages as well', async () => {
  const { site, sound: good, broken } = await siteWithBrokenJobs();
  const read = async (query: string) => {
    const { status, json } = await system.request('GET', `/jobs?${query}`, { site });
    expect(status).toBe(200);
    return jobs.listJobs.response.parse(json);
  };
  const whole = await read('limit=500');
  expect(whole.jobs.map(({ id }) => id)).toEqual(good);
  expect(whole.unreadable.map(({ id }) => id).sort()).toEqual([...broken.keys()].sort());
  for (const { id, problem } of whole.unreadable) expect(problem.startsWith(broken.get(id) ?? '?'), problem).toBe(true);

  const seen: string[] = [];
  for await (const { jobs: some, unreadable } of pagesOf((cursor) => read(`limit=7${cursor}`))) {
    expect(some.length + unreadable.length).toBeLessThanOrEqual(7);
    seen.push(...[...some, ...unreadable].map(({ id }) => id));
  }
  expect(seen.sort()).toEqual([...good, ...broken.keys()].sort());

  const filtered = await read('state=failed&limit=500');
  expect([filtered.jobs, filtered.unreadable.length]).toEqual([[], broken.size]);
});

test('a job whose row cannot be read is not found, and the answer says what is wrong with it', async () => {
  const { broken } = await siteWithBrokenJobs();
  for (const [id, problem] of broken) {
    for (const [method, path] of [
      ['GET', `/jobs/${id}`],
      ['GET', `/jobs/${id}/events`],
      ['DELETE', `/jobs/${id}`],
    ] as const) {
      const { status, json } = await system.request(method, path);
      const message = expect.stringContaining(`its row cannot be read (${problem}`);
      expect([status, json]).toMatchObject([404, { code: 'not_found', message }]);
    }
  }
});

test.each([
  ['is a number', 3],
  ['is a text', 'text'],
  ['is not compressed', Buffer.from('{}')],
  ['is no JSON', gzipSync('{')],
  ['is no result', gzipSync('{}')],
])('a job whose stored result %s is shown without it', async (_, result) => {
  const site = await system.addSite();
  const id = `${site}.${uuidv7()}`;
  await put({ pk: `J#${site}`, sk: id, ...sound(site), result });
  const { status, json } = await system.request('GET', `/jobs/${id}`);
  const job = Job.parse(json);
  expect([status, job]).toMatchObject([200, { id, state: 'succeeded', output: null, result: null }]);
  expect(job.message).toMatch(/^The result cannot be shown: its stored form cannot be read \(/);
});

test('audit: commands and changes that cannot be read are named, by pages as well, and the rest is there', async () => {
  const { site, sound: good, broken } = await siteWithBrokenJobs();
  await system.importCsv('devName,devMAC\nnas,00:1E:06:AA:BB:01\n', site);
  const entry = { site, actor: 'x', action: 'devices.delete', detail: {}, at: new Date().toISOString() };
  const wrong = [{ at: 'then' }, { detail: 1 }].map((change) => JSON.stringify({ ...entry, ...change }));
  for (const d of ['{', '{}', 'null', ...wrong]) {
    const id = uuidv7();
    await put({ pk: `L#${site}`, sk: id, d, ttl: Date.now() / 1000 + 3_600 });
    broken.set(id, '');
  }
  await put({ pk: `L#${site}`, sk: '0', d: 'no id' });
  const seen = { entries: [] as string[], unreadable: [] as string[], actions: [] as string[] };
  const read = async (cursor: string) =>
    admin.listAudit.response.parse((await system.request('GET', `/audit?limit=9${cursor}`, { site })).json);
  for await (const { entries, unreadable } of pagesOf(read)) {
    expect(entries.length + unreadable.length).toBeLessThanOrEqual(9);
    seen.entries.push(...entries.map(({ id }) => id));
    seen.actions.push(...entries.map(({ action }) => action));
    seen.unreadable.push(...unreadable.map(({ id }) => id));
  }
  expect(seen.unreadable.sort()).toEqual([...broken.keys()].sort());
  expect(seen.entries).toEqual(expect.arrayContaining(good));
  expect(new Set(seen.entries).size).toBe(seen.entries.length);
  expect(seen.actions).toContain('devices.import');
});

test('agents: a row that cannot be read hides no other agent, and takes no commands', async () => {
  const { site } = await siteWithBrokenJobs();
  await using agent = await standInAt(system, site, 'sound');
  const rows: Record<string, Omit<Item, 'pk' | 'sk'>> = {
    [`${site}:json`]: { certificate: 'x', presence: 'online', session: 1, since: 1, d: '{' },
    [`${site}:list`]: { certificate: 'x', presence: 'online', session: 1, since: 1, d: '{"networks":"all"}' },
    [`${site}:state`]: { certificate: 'x', presence: 'busy', session: 1, since: 1, d: '{}' },
    [`${site}:since`]: { certificate: 'x', presence: 'online', session: 1, since: TOO_LATE, d: '{}' },
    [`${site}:next`]: { certificate: 'x', next: '{', presence: 'online', session: 1, since: 1, d: '{}' },
    'Not an id': { certificate: 'x', presence: 'online', session: 1, since: 1, d: '{}' },
  };
  for (const [id, row] of Object.entries(rows)) await put({ pk: `S#${site}`, sk: `A#${id}`, ...row });
  const { status, json } = await system.request('GET', `/sites/${site}/agents`);
  expect(status).toBe(200);
  const { agents, unreadable } = admin.listAgents.response.parse(json);
  expect(agents.map(({ id }) => id)).toEqual([agent.id]);
  expect(unreadable.map(({ id }) => id).sort()).toEqual(Object.keys(rows).sort());
  for (const { problem } of unreadable) expect(problem).not.toBe('');

  const sent = system.request('GET', '/nettools/speedtest', { site, headers: { prefer: 'respond-async' } });
  await agent.take();
  await sent;
  // Revoking an agent ends its jobs, and looks through the broken rows for them.
  expect((await system.request('DELETE', `/sites/${site}/agents/sound`)).status).toBe(200);
  const { jobs: left } = jobs.listJobs.response.parse((await system.request('GET', '/jobs?limit=500', { site })).json);
  expect(left[0]).toMatchObject({ agent: agent.id, state: 'lost', reason: 'agent_revoked' });
});

test('hooks: the list has all that can be read, and names the others', async () => {
  const site = await system.addSite();
  const body = { url: 'https://hooks.example.org/x', events: ['new'] };
  const added = await system.request('POST', '/hooks', { site, body });
  const { id } = hooks.addHook.response.parse(added.json);
  await put({ pk: `H#${site}`, sk: '00000000beef', d: '{"url":1}', cursor: 1 });
  const listed = await system.request('GET', '/hooks', { site });
  expect(hooks.listHooks.response.parse(listed.json)).toMatchObject({
    hooks: [{ id }],
    unreadable: [{ id: '00000000beef' }],
  });
});
