/** What the list of tools costs: some clients hand all of it to a model in each session. */
import { expect, test } from 'vitest';
import { tools } from './endpoint.ts';

const listed = [...tools.values()].map((tool) => tool.listed());

test('the list of all tools has at most 60 KB', () => {
  expect(Buffer.byteLength(JSON.stringify({ tools: listed }))).toBeLessThanOrEqual(60_000);
});

test.each(listed.map((tool) => [tool.name, tool] as const))('%s: each field of its result has a type', (_, tool) => {
  const { properties, required } = tool.outputSchema as { properties: Record<string, object>; required: string[] };
  const fields = Object.entries(properties).filter(([name]) => name !== 'note' && name !== 'job');
  expect(fields.length).toBeGreaterThan(0);
  const hasType = (part: object) => 'type' in part || ('anyOf' in part && (part.anyOf as object[]).length > 1);
  expect(fields.filter(([, field]) => !hasType(field))).toEqual([]);
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
});
