import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { parseCsv } from '../../functions/devices/csv.ts';
import { auditRow } from '../../functions/http/audit-log.ts';
import { EXPORT_PAGE } from '../../functions/http/export.ts';
import { tokenId } from '../../functions/http/token.ts';
import { Job } from '../../shared/api/jobs.ts';
import { AuditEntry } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi({ hasAgent: true });

/** A token that sees no more than its site: what concerns all sites is no part of its exports. */
const tokenOf = (site: string) => system.createToken({ sites: [site] });

/** Entries ten milliseconds apart, after the site was made. @returns their times, the newest first */
async function writeEntries(site: string, count: number, detail = {}): Promise<string[]> {
  const { table } = system.context;
  const newest = Date.now() + count * 10;
  const times = Array.from({ length: count }, (_, i) => new Date(newest - i * 10));
  const event = { site, actor: 'x', action: 'devices.delete', requestId: 'r', sourceAddress: '192.0.2.1' } as const;
  const items = times.map((at) => ({ put: auditRow({ ...event, detail }, at) }));
  await table.bulk(items);
  return times.map((at) => at.toISOString());
}

async function exported(path: string, site: string, token: string): Promise<string> {
  const { status, text } = await system.request('GET', path, { site, token });
  expect([status, text]).toEqual([200, text]);
  return text;
}

async function cellsOf(csv: string): Promise<string[][]> {
  const rows = [];
  for await (const batch of parseCsv(Buffer.from(csv))) rows.push(...batch.map(({ cells }) => cells));
  return rows;
}

const linesOf = (ndjson: string): unknown[] =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('the audit of several pages is exported as the list has it, each entry once, in both formats', async () => {
  const site = await system.addSite();
  const token = await tokenOf(site);
  await writeEntries(site, 2 * EXPORT_PAGE + 1);
  const listed: AuditEntry[] = [];
  for (let cursor = ''; ; ) {
    const { json } = await system.request('GET', `/audit?limit=500${cursor}`, { site, token });
    const { entries, nextCursor } = json as { entries: AuditEntry[]; nextCursor: string | null };
    listed.push(...entries);
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  expect(listed).toHaveLength(2 * EXPORT_PAGE + 2);
  expect(linesOf(await exported('/audit/export?format=ndjson', site, token))).toEqual(listed);
  const [header, ...rows] = await cellsOf(await exported('/audit/export', site, token));
  expect(header?.join()).toBe('id,at,site,actor,sourceAddress,action,detail,outcome,person,changes,problem');
  expect(rows).toEqual(
    listed.map(({ id, at, actor, sourceAddress, action, detail, outcome }) => {
      return [id, at, site, actor, sourceAddress, action, JSON.stringify(detail), outcome, '', '', ''];
    }),
  );
});

test('since is part of the span, until is not; a span that ends before it begins is refused', async () => {
  const site = await system.addSite();
  const token = await tokenOf(site);
  const times = await writeEntries(site, 5);
  const timesIn = async (query: string) =>
    linesOf(await exported(`/audit/export?format=ndjson&${query}`, site, token)).map(
      (line) => AuditEntry.parse(line).at,
    );
  expect(await timesIn(`since=${times[3]}&until=${times[1]}`)).toEqual([times[2], times[3]]);
  expect(await timesIn(`since=${times[1]}`)).toEqual([times[0], times[1]]);
  expect(await timesIn(`since=${times[1]}&until=${times[1]}`)).toEqual([]);
  const refused = await system.request('GET', `/audit/export?since=${times[0]}&until=${times[1]}`, { site, token });
  expect([refused.status, refused.json]).toMatchObject([400, { errors: [{ path: 'query.until' }] }]);
});

test('commands are exported by tool, state and token, without what only the audit shows', async () => {
  const mine = await system.createToken();
  const succeeded = async () => (await system.request('GET', '/jobs?state=succeeded')).text.split('"id"').length;
  const before = await succeeded();
  for (const token of [system.token, mine, mine]) await system.request('GET', '/nettools/interfaces', { token });
  await expect.poll(succeeded).toBe(before + 3);
  const { json } = await system.request('GET', '/jobs?limit=500');
  const lines = linesOf(await exported('/jobs/export?format=ndjson', 'home', mine));
  expect(lines).toEqual((json as { jobs: Job[] }).jobs);
  const [header, ...rows] = await cellsOf(
    await exported(`/jobs/export?tool=interfaces&state=succeeded&actor=${tokenId(mine)}&agent=home:main`, 'home', mine),
  );
  expect(header?.join()).toBe('id,site,agent,tool,request,state,reason,actor,createdAt,startedAt,endedAt,problem');
  const ofMine = lines.map((line) => Job.parse(line)).filter(({ actor }) => actor === tokenId(mine));
  expect(rows.map(([id]) => id)).toEqual(ofMine.map(({ id }) => id));
  const [oldest] = ofMine.slice(-1);
  expect(
    linesOf(
      await exported(`/jobs/export?format=ndjson&since=${oldest?.createdAt}&actor=${tokenId(mine)}`, 'home', mine),
    ),
  ).toHaveLength(2);
  expect(
    linesOf(
      await exported(`/jobs/export?format=ndjson&until=${oldest?.createdAt}&actor=${tokenId(mine)}`, 'home', mine),
    ),
  ).toEqual([]);
});

test('a row that cannot be read is named, and ends nothing', async () => {
  const site = await system.addSite();
  const token = await tokenOf(site);
  const { table } = system.context;
  const [job, entry] = [`${site}.${uuidv7()}`, uuidv7()];
  await table.put({ pk: `J#${site}`, sk: job, state: 'odd', ttl: Date.now() / 1000 + 3_600 });
  await table.put({ pk: `L#${site}`, sk: entry, d: '{', ttl: Date.now() / 1000 + 3_600 });
  const lines = linesOf(await exported('/audit/export?format=ndjson', site, token));
  expect(lines).toMatchObject([
    { action: 'site.add' },
    { id: expect.any(String), problem: expect.any(String) },
    { problem: expect.any(String) },
  ]);
  const [, ...rows] = await cellsOf(await exported('/audit/export', site, token));
  expect(rows.map((cells) => [cells[0], cells.at(-1) !== ''])).toEqual(
    expect.arrayContaining([
      [entry, true],
      [job, true],
    ]),
  );
  const [, ...jobs] = await cellsOf(await exported('/jobs/export', site, token));
  expect(jobs).toMatchObject([[job, '', '', '', '', '', '', '', '', '', '', expect.stringMatching(/./)]]);
});

test('a cell that a spreadsheet would run is defused', async () => {
  const site = await system.addSite();
  const { table } = system.context;
  const event = { site, actor: '=1+1', action: 'devices.delete', requestId: 'r', sourceAddress: null } as const;
  await table.put(auditRow({ ...event, detail: {} }, new Date()));
  expect(await exported('/audit/export', site, await tokenOf(site))).toContain(",'=1+1,,devices.delete,");
});

test.each(['gzip', 'identity'])('an outage in the middle breaks the transfer off: %s', async (encoding) => {
  const site = await system.addSite();
  const token = await tokenOf(site);
  await writeEntries(site, 2 * EXPORT_PAGE);
  const { table } = system.context;
  const ask = () => system.fetch('GET', '/audit/export', { site, token, headers: { 'accept-encoding': encoding } });
  let queries = 0;
  const pass = aroundCalls(table, async ({ method, args }, send) => {
    if (method === 'query' && args[0] === `L#${site}` && ++queries > 1) {
      throw new ServiceError('unavailable', 'the database is gone');
    }
    return send();
  });
  const response = await ask();
  expect([response.status, response.headers.get('content-encoding') ?? 'identity']).toEqual([200, encoding]);
  await expect(response.text()).rejects.toThrow();
  expect(queries).toBeGreaterThan(1);
  // One that cannot begin is refused like any other request.
  const refused = await ask();
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'unavailable' }]);
  pass();
  expect((await cellsOf(await (await ask()).text())).length).toBe(2 * EXPORT_PAGE + 2);
});

test('a client that goes away ends the reading', async () => {
  const site = await system.addSite();
  const { table } = system.context;
  await writeEntries(site, 20 * EXPORT_PAGE, { text: 'x'.repeat(600) });
  let queries = 0;
  using _calls = aroundCalls(table, ({ method, args }, send) => {
    if (method === 'query' && args[0] === `L#${site}`) queries++;
    return send();
  });
  const token = await tokenOf(site);
  const leaving = await system.fetch('GET', '/audit/export', { site, token });
  const reader = leaving.body?.getReader();
  await reader?.read(); // No more than that.
  await reader?.cancel();
  const whole = await system.request('GET', '/audit/export', { site, token });
  expect(whole.text.length).toBeGreaterThan(5_000_000);
  // Those of the whole export, and some that were made for the first until it was found to be gone.
  expect(queries).toBeLessThan(2 * 21);
});
