/** Selections of sites: lists of them by tags. */
import { beforeAll, expect, test } from 'vitest';
import { testApi } from '../support/test-api.ts';

const system = testApi();
beforeAll(async () => {
  for (const [id, tags] of [
    ['north', ['customers', 'far']],
    ['south', ['customers']],
    ['yard', []],
  ] as const) {
    await system.request('POST', '/sites', { body: { id, tags } });
    await system.importCsv(`devName,devMAC\nprinter,02:00:00:00:00:0${id.length}\n`, id);
    await system.request('PATCH', `/sites/${id}`, { body: { reachableAt: `${id}.example.org` } });
  }
  await system.request('POST', '/checks/matrix', { body: { sites: ['north', 'south', 'yard'] } });
});

async function asked(path: string, sites: string, token?: string) {
  const query = new URLSearchParams({ sites });
  const to = `${path}${path.includes('?') ? '&' : '?'}${query}`;
  const { status, json, text } = await system.request('GET', to, { token });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return { json: json as Record<string, never>, text };
}
const idsIn = (answer: { json: Record<string, unknown> }) =>
  (answer.json.sites as { id: string }[]).map(({ id }) => id);

test.each([
  ['tag:customers', ['north', 'south']],
  ['yard,tag:far', ['north', 'yard']],
  ['tag:nobody', []],
  ['nowhere,south', ['south']],
  ['*', ['home', 'north', 'south', 'yard']],
])('sites=%s of the lists of sites', async (sites, expected) => {
  expect(idsIn(await asked('/sites', sites))).toEqual(expected);
  expect(idsIn(await asked('/sites?limit=500', sites))).toEqual(expected);
  expect(idsIn(await asked('/overview', sites))).toEqual(expected);
});

test('the search, the matrix and the metrics are about the chosen sites alone', async () => {
  const { json: found } = await asked('/search?q=printer', 'tag:customers');
  expect(found).toMatchObject({ sites: 2, devices: [{ site: 'north' }, { site: 'south' }] });
  const { edges } = (await asked('/checks/matrix', 'tag:customers')).json as unknown as {
    edges: { from: string; to: string }[];
  };
  expect(edges.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(['north south', 'south north']);
  const { text } = await asked('/metrics', 'tag:far');
  expect(text).toContain('site="north"');
  expect(text).not.toContain('site="south"');
});

test('a selection never reaches beyond the token', async () => {
  const token = await system.createToken({ sites: ['south', 'yard'] });
  expect(idsIn(await asked('/sites', 'tag:customers', token))).toEqual(['south']);
  expect(idsIn(await asked('/overview', '*', token))).toEqual(['south', 'yard']);
  expect((await asked('/search?q=printer', 'north,south', token)).json).toMatchObject({ devices: [{ site: 'south' }] });
  expect((await system.request('GET', '/sites?sites=tag:,x')).status).toBe(400);
});
