import { expect, test } from 'vitest';
import { DeclaredFile } from './file.ts';
import { type Present, planOf } from './plan.ts';

test('a site that lists none keeps what it has, also where others are pruned', () => {
  const schedules = [{ id: '1', name: 'nightly', tool: 'interfaces', everySeconds: 3_600 }];
  const there = { site: { id: 'home' }, schedules, checks: [], hooks: [], devices: new Map() };
  const present = { templates: [], sites: new Map([['home', there]]) } as unknown as Present;
  const signs = (declared: unknown[] | undefined) => {
    const site = { id: 'home', ...(declared === undefined ? {} : { schedules: declared }) };
    return planOf(DeclaredFile.parse({ sites: [site], prune: { schedules: true } }), present).map(({ sign }) => sign);
  };
  expect([signs(undefined), signs([])]).toEqual([[], []]);
  expect(signs([{ name: 'weekly', tool: 'interfaces', everySeconds: 3_600 }])).toEqual(['-', '+']);
});
