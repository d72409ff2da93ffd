import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SiteRef, tagOfRef } from '../../shared/identity.ts';
import { ALL_SITES, type Limit, reachOf, within } from './reach.ts';

const SITES = ['a', 'b', 'c', 'd'];
const TAGS = ['x', 'y'];
const anyRef: fc.Arbitrary<SiteRef> = fc.constantFrom(...SITES, ...TAGS.map((tag) => `tag:${tag}`));
const anyLimit: fc.Arbitrary<Limit> = fc.oneof(fc.constant('*' as const), fc.array(anyRef, { maxLength: 4 }));
const anySite = fc.record({ id: fc.constantFrom(...SITES), tags: fc.subarray(TAGS) });

const allows = (limit: Limit, { id, tags }: { id: string; tags: string[] }) =>
  limit === '*' || limit.some((ref) => ref === id || tags.includes(tagOfRef(ref) ?? ''));

test('a site is in reach when each limit allows it, and what is known without its tags holds with any', () => {
  fc.assert(
    fc.property(fc.array(anyLimit, { maxLength: 3 }), anySite, (limits, site) => {
      const reach = reachOf(limits);
      const isIn = limits.every((limit) => allows(limit, site));
      expect(reach.has(site)).toBe(isIn);
      expect(reach.knows(site.id) ?? isIn).toBe(isIn);
      if (reach.only !== null) expect(reach.only.includes(site.id)).toBe(isIn);
      if (reach.isAll) expect(isIn).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('what is covered is in reach, whatever sites have the tag', () => {
  fc.assert(
    fc.property(fc.array(anyLimit, { maxLength: 3 }), anyRef, anySite, (limits, ref, site) => {
      const reach = reachOf(limits);
      const covered = reach.covers(ref);
      if (covered === true && allows([ref], site)) expect(reach.has(site)).toBe(true);
      if (covered === false && ref === site.id) expect(reach.has(site)).toBe(false);
    }),
  );
});

test('what lies within a selection is what one more limit leaves', () => {
  fc.assert(
    fc.property(fc.array(anyLimit, { maxLength: 3 }), anyLimit, anyRef, anySite, (limits, selection, ref, site) => {
      const [narrow, same] = [within(reachOf(limits), selection), reachOf([...limits, selection])];
      expect(narrow).toMatchObject({ isAll: same.isAll, only: same.only });
      expect(narrow.has(site)).toBe(same.has(site));
      expect(narrow.knows(site.id)).toBe(same.knows(site.id));
      expect(narrow.covers(ref)).toBe(same.covers(ref));
    }),
  );
});

test('all sites are one more than any list', () => {
  expect(ALL_SITES).toMatchObject({ isAll: true, only: null });
  expect(ALL_SITES.covers('*')).toBe(true);
  expect(reachOf([['a', 'tag:x']])).toMatchObject({ isAll: false, only: null });
  expect(reachOf([['a', 'tag:x']]).covers('tag:x')).toBe(true);
  const ofBoth = reachOf([
    ['a', 'tag:x'],
    ['a', 'b'],
  ]);
  expect([ofBoth.only, within(ofBoth, ['a']).only]).toEqual([null, ['a']]);
  expect(reachOf([['b', 'a'], ['a']])).toMatchObject({ only: ['a'] });
});
