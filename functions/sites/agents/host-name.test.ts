import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentName } from '../../../shared/identity.ts';
import { nameFrom } from './host-name.ts';

test('whatever a host is called, its name is one of an agent', () => {
  const names = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.array(fc.constantFrom(...'aZ9-_. ä'), { maxLength: 60 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(names, (host) => {
      expect(AgentName.safeParse(nameFrom(host)).success).toBe(true);
    }),
  );
  expect(['Till_7.Example.net', '-web-', 'ÄÖ', ''].map(nameFrom)).toEqual(['till-7', 'web', 'host', 'host']);
});
