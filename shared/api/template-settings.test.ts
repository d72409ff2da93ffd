import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TemplateSettings } from './parts.ts';
import { DISCOVERY_OFF, USUAL_UPDATES } from './records.ts';
import { differing, isSame, merged, settle, valuesOf } from './template-settings.ts';

const SITE = { timeZone: 'UTC', updates: USUAL_UPDATES, discovery: DISCOVERY_OFF };
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const partial = (wanted: object) => JSON.parse(JSON.stringify(wanted)) as TemplateSettings;
const wish: fc.Arbitrary<TemplateSettings> = fc
  .record({
    timeZone: maybe(fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Tokyo')),
    policy: maybe(fc.record({ deny: fc.subarray(['nmap', 'speedtest']), maxScanAddresses: fc.constant(null) })),
    updates: maybe(fc.record({ mode: maybe(fc.constantFrom('auto', 'notify', 'off')) })),
    discovery: maybe(
      fc.record({
        enabled: maybe(fc.boolean()),
        intervalSeconds: maybe(fc.constantFrom(30, 60, 90)),
        recognize: maybe(fc.boolean()),
      }),
    ),
  })
  .map(partial);
/** A site with these settings of its own. */
const site = wish.map((own) => ({
  ...SITE,
  ...own,
  updates: { ...SITE.updates, ...own.updates },
  discovery: { ...SITE.discovery, ...own.discovery },
})) as fc.Arbitrary<typeof SITE>;

test('default settings follow the templates, and return to the default when none sets them any more', () => {
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 4 }), (turns) => {
      let now: { site: typeof SITE; held: ReturnType<typeof settle>['held'] } = { site: SITE, held: {} };
      for (const turn of turns) {
        const wanted = merged([turn]);
        now = settle(now.site, wanted, now.held);
        expect(valuesOf(now.site)).toEqual({ ...valuesOf(SITE), ...wanted });
        expect(settle(now.site, wanted, now.held)).toEqual(now);
        expect(differing(now.site, wanted, now.held)).toEqual([]);
      }
      expect(isSame(settle(now.site, {}, now.held).site, SITE)).toBe(true);
    }),
  );
});

test('settings of the site stay through all changes of templates, and are reported', () => {
  fc.assert(
    fc.property(site, fc.array(wish, { maxLength: 4 }), (own, turns) => {
      const usual = valuesOf(SITE);
      const theirs = Object.entries(valuesOf(own)).filter(([path, value]) => !isSame(value, usual[path as 'policy']));
      let now: { site: typeof SITE; held: ReturnType<typeof settle>['held'] } = { site: own, held: {} };
      for (const turn of [...turns, {}]) {
        const wanted = merged([turn]);
        now = settle(now.site, wanted, now.held);
        expect(valuesOf(now.site)).toMatchObject(Object.fromEntries(theirs));
        const reported = differing(now.site, wanted, now.held).map(({ setting }) => setting);
        const others = theirs.filter(([path, value]) => {
          const want = wanted[path as 'policy'];
          return want !== undefined && !isSame(want, value);
        });
        expect(reported.sort()).toEqual(others.map(([path]) => path).sort());
      }
      expect(isSame(now.site, own)).toBe(true);
    }),
  );
});

test('a setting that was changed since follows again once it equals the template', () => {
  const berlin = merged([{ timeZone: 'Europe/Berlin' }]);
  const tokyo = merged([{ timeZone: 'Asia/Tokyo' }]);
  const first = settle(SITE, berlin, {});
  const own = { ...first.site, timeZone: 'America/Lima' };
  const kept = settle(own, tokyo, first.held);
  expect(kept.site.timeZone).toBe('America/Lima');
  const back = settle({ ...kept.site, timeZone: 'Asia/Tokyo' }, tokyo, kept.held);
  expect(settle(back.site, {}, back.held).site.timeZone).toBe('UTC');
});
