import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentName } from '../../shared/identity.ts';
import { nameFrom, numbered } from './host-name.ts';

test('whatever a host is called, its name is one of an agent, also with a number', () => {
  const names = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.array(fc.constantFrom(...'aZ9-_. ä'), { maxLength: 60 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 99 }), (host, n) => {
      expect(AgentName.safeParse(nameFrom(host)).success).toBe(true);
      expect(AgentName.safeParse(numbered(nameFrom(host), n)).success).toBe(true);
      if (n > 1) expect(numbered(nameFrom(host), n)).not.toBe(nameFrom(host));
    }),
  );
  expect(['Till_7.Example.net', '-web-', 'ÄÖ', ''].map(nameFrom)).toEqual(['till-7', 'web', 'host', 'host']);
});
