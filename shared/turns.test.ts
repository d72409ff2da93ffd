import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Holder, mayTakeMore, Turns } from './turns.ts';

const holder = (site: string, user = site): Holder => ({ site, user });

/** All of it, in its order. */
function drain(turns: Turns<string>): string[] {
  const taken: string[] = [];
  for (let next = turns.next(); next !== undefined; next = turns.next()) taken.push(next);
  return taken;
}

test('sites take turns, within a site its users, and of one user what came first', () => {
  const turns = new Turns<string>();
  for (let n = 0; n < 3; n++) turns.add(holder('a', 'greedy'), `greedy ${n}`);
  turns.add(holder('a', 'other'), 'other 0');
  turns.add(holder('b'), 'b 0');
  turns.add(holder('b'), 'b 1');
  expect(turns.has(holder('a', 'greedy'))).toEqual({ site: 4, user: 3 });
  expect(drain(turns)).toEqual(['greedy 0', 'b 0', 'other 0', 'b 1', 'greedy 1', 'greedy 2']);
});

test('however much one has waiting, and whatever else happens, another one is served next or next but one', () => {
  const step = fc.oneof(fc.constant('serve' as const), fc.constantFrom('a', 'b', 'c'));
  fc.assert(
    fc.property(fc.nat(200), fc.array(step, { maxLength: 40 }), (queued, steps) => {
      const turns = new Turns<string>();
      for (let n = 0; n < queued; n++) turns.add(holder('hostile', `token ${n % 7}`), 'hostile');
      const waited = new Map<string, string[]>();
      for (const one of steps) {
        if (one === 'serve') {
          const served = turns.next();
          for (const others of waited.values()) others.push(served ?? 'nobody');
          if (served !== undefined) waited.delete(served);
        } else if (!waited.has(one)) {
          turns.add(holder(one), one);
          waited.set(one, []);
        }
        for (const others of waited.values()) {
          expect(others.filter((name) => name === 'hostile').length).toBeLessThanOrEqual(1);
          expect(new Set(others).size).toBe(others.length);
        }
      }
    }),
  );
});

test('who pays more for a turn has fewer of them, and one who comes anew is next', () => {
  const turns = new Turns<string>();
  for (let n = 0; n < 12; n++) {
    turns.add(holder('long'), 'long');
    turns.add(holder('short'), 'short');
  }
  const served: string[] = [];
  for (let n = 0; n < 12; n++) {
    const next = turns.next(undefined, 0) ?? '';
    turns.pay(next, next === 'long' ? 5 : 1);
    served.push(next);
  }
  expect(served.filter((name) => name === 'long').length).toBeLessThanOrEqual(3);
  turns.add(holder('new'), 'new');
  expect(turns.next()).toBe('new');
});

test('what is taken out, in whatever way, is gone; nothing else is', () => {
  const step = fc.record({
    kind: fc.constantFrom('add', 'remove', 'next'),
    site: fc.nat(2),
    user: fc.nat(2),
    at: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const turns = new Turns<string>();
      const left = new Map<string, Holder>();
      for (const [n, { kind, site, user, at }] of steps.entries()) {
        const own = holder(String(site), String(user));
        if (kind === 'add') {
          turns.add(own, `${n}`);
          left.set(`${n}`, own);
        }
        const [name, whose] = [...left][at] ?? [];
        if (kind === 'remove' && name !== undefined && whose !== undefined) {
          turns.remove(whose, name);
          turns.remove(whose, name);
          left.delete(name);
        }
        if (kind === 'next') {
          const next = turns.next((one) => one !== String(site));
          const others = [...left].filter(([, { site: of }]) => of !== String(site)).map(([name]) => name);
          if (next === undefined) expect(others).toEqual([]);
          else expect(others).toContain(next);
          if (next !== undefined) left.delete(next);
        }
        expect(turns.size).toBe(left.size);
      }
      expect(drain(turns).sort()).toEqual([...left.keys()].sort());
    }),
  );
});

test('whoever takes all that they may leaves room to everybody who comes later', () => {
  const places = 90;
  let left = places;
  const takeAll = (of: { site: number; user: number }) => {
    for (; mayTakeMore(of, left); left--) {
      of.site++;
      of.user++;
    }
    return of.user;
  };
  const site = { site: 0, user: 0 };
  expect(takeAll(site)).toBe(places / 3);
  // Another user of the same site, and then one site after the other.
  expect(takeAll({ ...site, user: 0 })).toBeGreaterThan(0);
  for (let n = 0; n < 4; n++) expect(takeAll({ site: 0, user: 0 })).toBeGreaterThan(0);
});
