import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DISCOVERY_OFF, USUAL_UPDATES } from '../../../shared/api/records.ts';
import { openMemoryTable } from '../../../test/support/memory-table.ts';
import { openSiteDeletions } from '../../sites/deletion-store.ts';
import { encodeSite } from '../../sites/site-row.ts';
import { PARTITIONS, rows } from '../../table/rows.ts';
import type { Item } from '../../table/table.ts';
import { RestoredRows } from './restored-rows.ts';
import { itemOf, lineOf, siteOf } from './row-text.ts';

test('a row is the same after it was a text', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  const name = fc.stringMatching(/^[a-z]{1,8}$/).filter((text) => !['pk', 'sk'].includes(text));
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.string({ unit: 'binary' }), (attributes, sk) => {
      const item = { ...attributes, pk: 'S#cabin', sk } as Item;
      const line = lineOf(item);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(itemOf(JSON.parse(line))).toEqual(item);
    }),
  );
});

test('of every partition it is known whether it belongs to a site', () => {
  const bySite = ['site', 'jobs', 'results', 'audit', 'hooks', 'monitoring', 'series'];
  const found = Object.entries(PARTITIONS).filter(
    ([, prefix]) => siteOf({ pk: `${prefix}cabin`, sk: 'x' }) === 'cabin',
  );
  expect(found.map(([name]) => name)).toEqual(bySite);
  expect(siteOf(rows.site('cabin'))).toBe('cabin');
  expect(siteOf(rows.auditEntry(null, 'id'))).toBeNull();
  expect(siteOf(rows.rollOut())).toBeNull();
});

test('what a removal deletes is what belongs to the site, its audit and its collection apart', async () => {
  const table = openMemoryTable();
  const ofSite = Object.values(PARTITIONS).map((prefix) => ({ pk: `${prefix}cabin`, sk: 'x' }));
  const all = [...ofSite, rows.collection('cabin'), rows.site('home')];
  for (const item of all) await table.put({ ...item });
  await table.put({ ...rows.site('cabin'), d: '{}', gone: 7 });
  const deletion = { site: 'cabin', at: 7, by: 'a person' };
  await openSiteDeletions(table, () => NOW).sweep(deletion, () => false);
  const left: Item[] = [];
  for await (const page of table.snapshot().pages()) left.push(...page);
  const kept = left.filter((item) => siteOf(item) === 'cabin').map(({ pk, sk }) => `${pk} ${sk}`);
  expect(kept).toEqual(['L#cabin x', 'S#cabin #META', 'SITES SITE#cabin']);
  expect(left.map(({ pk }) => pk)).toContain('T#cabin');
});

const NOW = new Date('2026-11-26T00:00:00Z');
function restored(items: Item[]): Item[] {
  const taken = new RestoredRows(NOW);
  return [...items.flatMap((item) => [...taken.take(item)]), ...taken.end()];
}
const collection = (changes: object): Item => ({
  ...rows.collection('cabin'),
  ...{ ver: 7, verAt: 1, counts: '[7,3,0,0,0,0,0]', born: 2, ...changes },
});

test('a collection comes back with its devices under an unused version', () => {
  const device = { ...rows.device('cabin', 'Internet'), v: 6 };
  const [change, after, meta] = restored([collection({}), { ...rows.change('cabin', 7), id: 'a' }, device]);
  expect([change?.id, after]).toEqual(['a', device]);
  expect(meta).toEqual(collection({ ver: NOW.getTime(), counts: `[${NOW.getTime()},3,0,0,0,0,0]` }));
  // Also that of a deleted site, which may be restored.
  expect(restored([collection({ gone: 5 })])).toMatchObject([{ ver: NOW.getTime(), gone: 5 }]);
});

test.each<[what: string, items: Item[]]>([
  ['a change', [collection({}), { ...rows.change('cabin', 8), id: 'b' }]],
  ['the end of its site', [collection({ gone: 0 })]],
])('a collection in which %s was under way keeps its version, so that it is carried out', (_, items) => {
  expect(restored(items).find(({ sk }) => sk === '#META')).toEqual(items[0]);
});

test('the settings of a site come back with a revision that no agent has', () => {
  const d = encodeSite({
    ...{ id: 'cabin', name: 'Cabin', tags: [], createdAt: '2026-01-01T00:00:00.000Z', timeZone: 'UTC' },
    ...{ discovery: DISCOVERY_OFF, reachableAt: null, updates: USUAL_UPDATES, revision: NOW.getTime() + 5 },
  });
  const [site] = restored([{ ...rows.site('cabin'), d }]);
  expect(JSON.parse(String(site?.d))).toMatchObject({ name: 'Cabin', revision: NOW.getTime() + 6 });
  const damaged = { ...rows.site('cabin'), d: '{' };
  expect(restored([damaged])).toEqual([damaged]);
});
