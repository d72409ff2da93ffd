import fc from 'fast-check';
import { expect, test } from 'vitest';
import { permissions, topicMatches } from '../shared/agent/topics.ts';
import { filterCovers, refusalOfPublish } from './broker-rules.ts';

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
    { numRuns: 200 },
  );
});

test('a right to publish on a filter is no right to publish on the filter itself', () => {
  const rights = [permissions.agent('home:main'), permissions.functions('lr-api-00000000')];
  for (const { publish, ...others } of rights) {
    for (const filter of publish) {
      const refusal = refusalOfPublish({ publish, ...others }, { topic: filter });
      expect(refusal).toBe(/[+#]/.test(filter) ? 'the topic has a wildcard' : null);
    }
  }
});
