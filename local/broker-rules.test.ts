import fc from 'fast-check';
import { expect, test } from 'vitest';
import { permissions, topicMatches } from '../shared/agent/topics.ts';
import { filterCovers, refusalOfPublish, rightsOf } from './broker-rules.ts';
import { FUNCTIONS_NAME } from './certificate-authority.ts';

test.each([
  ['a/b', 'a/b', true],
  ['a/+', 'a/b', true],
  ['a/+', 'a/+', true],
  ['a/#', 'a/b/c', true],
  ['a/#', 'a/+/#', true],
  ['a/b', 'a/+', false],
  ['a/+', 'a/#', false],
  ['a/+', 'a/b/c', false],
  ['a/+/c', 'a/b', false],
  ['a/#', '#', false],
  ['a/#', '+/b', false],
  ['a/#', '$share/g/a/#', false],
])('%s covers %s: %s', (wider, filter, covers) => {
  expect(filterCovers(wider, filter)).toBe(covers);
});

test('what a covered filter lets through, the wider one lets through', () => {
  const level = fc.constantFrom('a', 'b', '+');
  const filter = fc
    .tuple(fc.array(level, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([levels, open]) => [...levels, ...(open ? ['#'] : [])].join('/'));
  const topic = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 })
    .map((levels) => levels.join('/'));
  fc.assert(
    fc.property(filter, filter, topic, (wider, narrower, name) => {
      fc.pre(filterCovers(wider, narrower) && topicMatches(narrower, name));
      expect(topicMatches(wider, name)).toBe(true);
    }),
    // About one case in eighty fits.
    { numRuns: 200, maxSkipsPerRun: 1_000 },
  );
});

test('a right to publish on a filter is no right to publish on the filter itself', () => {
  const rights = [permissions.agent('local', 'local:home:main'), permissions.functions('lr-local-00000000')];
  for (const { publish, ...others } of rights) {
    for (const filter of publish) {
      const refusal = refusalOfPublish({ publish, ...others }, { topic: filter });
      expect(refusal).toBe(/[+#]/.test(filter) ? 'the topic has a wildcard' : null);
    }
  }
});

test('a certificate permits the client id that it names', () => {
  const ofLocal = permissions.agent('local', 'local:home:main');
  expect(rightsOf('local:home:main', 'local:home:main')).toEqual(ofLocal);
  expect(rightsOf('prod:home:main', 'prod:home:main')).toEqual(permissions.agent('prod', 'prod:home:main'));
  expect(rightsOf(FUNCTIONS_NAME, 'lr-prod-00000000')).toEqual(permissions.functions('lr-prod-00000000'));
  for (const [commonName, clientId] of [
    ['home:main', 'home:main'],
    ['home:main', 'local:home:main'],
    ['home:main', 'prod:home:main'],
    ['local:home:main', 'home:main'],
    ['local:home:main', 'prod:home:main'],
    ['local:home:main', 'local:home:attic'],
    ['nonsense', 'nonsense'],
    [null, 'local:home:main'],
    [FUNCTIONS_NAME, 'local:home:main'],
    [FUNCTIONS_NAME, 'lr-prod-'],
    ['home:main', 'lr-local-00000000'],
  ] as const) {
    expect(rightsOf(commonName, clientId), `${commonName} as ${clientId}`).toBeNull();
  }
});
