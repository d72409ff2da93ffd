/** Two hosts with one identity throw each other out in turns; one that is started anew, or loses its connection, does not. */
import { expect, test } from 'vitest';
import { doubledBy, holdersUpdate } from './holders.ts';

const NOW = Date.UTC(2026, 10, 1);
const HOUR = 3_600_000;

/** @param programs those that connect, one after the other, such as `a1`: a host and its start */
function row(programs: string) {
  let item = { pk: 'a', sk: 'b' };
  for (const program of programs.split(' ')) {
    const startedAt = NOW + program.charCodeAt(0) + Number(program.at(-1));
    const host = { name: program.slice(0, -1), platform: 'linux', addresses: [], startedAt };
    item = { ...item, ...holdersUpdate(item, host, NOW) };
  }
  return item;
}

test.each(['a1', 'a1 a1 a1', 'a1 a2 a3', 'a1 b1', 'a1 b1 b1 b2', 'a1 a2 a3 a4 a5 a6'])(
  'one at a time: %s',
  (programs) => {
    expect(doubledBy(row(programs), NOW)).toBeNull();
  },
);

test.each(['nas1 pi1 nas1', 'nas1 pi1 nas1 pi1', 'x1 nas1 pi1 nas1', 'pi1 nas1 nas2 pi1'])(
  'two at a time: %s',
  (programs) => {
    const why = expect.stringMatching(/^two hosts use this identity: nas, pi;/);
    expect(doubledBy(row(programs), NOW)).toEqual({
      why,
      reasonCode: expect.objectContaining({ code: 'two-hosts' }),
      at: NOW,
    });
  },
);

test('an hour after the last turn it is over, and a row that cannot be read says nothing', () => {
  expect(doubledBy(row('nas1 pi1 nas1'), NOW + HOUR)).toBeNull();
  expect(doubledBy({ pk: 'a', sk: 'b', holders: '{' }, NOW)).toBeNull();
});
