import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { parseCsv } from '../../functions/devices/csv.ts';
import { auditRow } from '../../functions/http/audit-log.ts';
import { EXPORT_PAGE } from '../../functions/http/export.ts';
import { tokenId } from '../../functions/http/token.ts';
import { Job } from '../../shared/api/jobs.ts';
import { AuditEntry } from '../../shared/api/records.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi({ hasAgent: true });

/** A token that sees no more than its site: what concerns all sites is no part of its exports. */
const tokenOf = (site: string) => system.createToken({ sites: [site] });

/** Entries ten milliseconds apart, after the site was made, whose actor is a formula. @returns their times, the newest first */
async function writeEntries(site: string, count: number): Promise<string[]> {
  const newest = Date.now() + count * 10;
  const times = Array.from({ length: count }, (_, i) => new Date(newest - i * 10));
  const event = { site, actor: '=1+1', action: 'devices.delete', requestId: 'r', sourceAddress: '192.0.2.1' } as const;
  await system.context.table.bulk(times.map((at) => ({ put: auditRow({ ...event, detail: {} }, at) })));
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
      // With an apostrophe a spreadsheet does not run it.
      return [
        id,
        at,
        site,
        actor.replace('=', "'="),
        sourceAddress,
        action,
        JSON.stringify(detail),
        outcome,
        '',
        '',
        '',
      ];
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
  const oldest = ofMine.at(-1)?.createdAt;
  const spanOf = async (span: string) =>
    linesOf(await exported(`/jobs/export?format=ndjson&actor=${tokenId(mine)}&${span}`, 'home', mine));
  expect(await spanOf(`since=${oldest}`)).toHaveLength(2);
  expect(await spanOf(`until=${oldest}`)).toEqual([]);
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
  const problems = rows.filter((cells) => cells.at(-1) !== '');
  expect(problems.map(([id]) => id).sort()).toEqual([entry, job].sort());
  const [, ...jobs] = await cellsOf(await exported('/jobs/export', site, token));
  expect(jobs).toMatchObject([[job, '', '', '', '', '', '', '', '', '', '', expect.stringMatching(/./)]]);
});
