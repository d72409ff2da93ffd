import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Deployment } from '../../shared/agent/place.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { afterTold, Places, roundOf } from './places.ts';

const place = (name: string) => ({ api: `http://${name}:8787`, broker: `mqtts://${name}:8883` });
const [HOME, SECOND, THIRD] = [place('home'), place('second'), place('third')];
const log = pino({ level: 'silent' });
const FIRST: Deployment = { term: 1, standby: SECOND };

async function open(options: { isFixed?: boolean; path?: string } = {}) {
  const path = options.path ?? join(makeTestFolder().path, 'places.json');
  return { path, places: await Places.open(path, { home: HOME, isFixed: options.isFixed ?? false, log }) };
}

/** The brokers of the next dials, each of which fails. */
function dials(places: Places, count: number): string[] {
  return Array.from({ length: count }, () => new URL(places.next(HOME).broker).hostname);
}

function connect(places: Places, broker: string): void {
  while (places.next(HOME).broker !== broker);
  places.connected();
}

test('an agent that was never told of another server dials where it is enrolled, and says nothing of it', async () => {
  const { places } = await open();
  expect(dials(places, 3)).toEqual(['home', 'home', 'home']);
  expect(places.pauseMs(100_000)).toBe(100_000);
  expect(places.deployment).toBeUndefined();
});

test('when a server does not answer, the other one is dialled at once, and then both again after a minute at most', async () => {
  const { places } = await open();
  connect(places, HOME.broker);
  expect(places.take(FIRST)).toBe('stay');
  expect(dials(places, 1)).toEqual(['home']);
  expect(places.pauseMs(100_000)).toBe(0);
  expect(dials(places, 1)).toEqual(['second']);
  const pause = places.pauseMs(100_000);
  expect(pause).toBeGreaterThanOrEqual(30_000);
  expect(pause).toBeLessThanOrEqual(60_000);
  expect(places.pauseMs(500)).toBe(500);
  expect(dials(places, 4)).toEqual(['home', 'second', 'home', 'second']);
});

test('an agent stays with the server that has taken over, after a restart too, and tries the first one last', async () => {
  const { places, path } = await open();
  connect(places, HOME.broker);
  places.take(FIRST);
  expect(places.api).toBeNull();
  connect(places, SECOND.broker);
  expect(places.take({ term: 2, standby: THIRD })).toBe('taken-over');
  expect(places.take({ term: 2, standby: THIRD })).toBe('stay');
  await places.keep();
  const again = (await open({ path })).places;
  for (const one of [places, again]) {
    expect(dials(one, 3)).toEqual(['second', 'third', 'home']);
    expect(one.deployment).toEqual({ term: 2, standby: THIRD });
  }
  connect(again, SECOND.broker);
  expect(again.api).toBe(SECOND.api);
});

test('what a server says before the agent knows that it is connected is of that server', async () => {
  const { places, path } = await open();
  connect(places, HOME.broker);
  places.take(FIRST);
  expect(dials(places, 2)).toEqual(['home', 'second']);
  expect(places.take({ term: 2, standby: null })).toBe('taken-over');
  await places.keep();
  expect(dials((await open({ path })).places, 2)).toEqual(['second', 'home']);
});

test('a server with a smaller term than was heard of is left, and what it says is not taken', async () => {
  const { places } = await open();
  connect(places, HOME.broker);
  places.take(FIRST);
  connect(places, SECOND.broker);
  places.take({ term: 2, standby: null });
  connect(places, HOME.broker);
  expect(places.take({ term: 1, standby: THIRD })).toBe('superseded');
  expect(places.deployment).toEqual({ term: 2, standby: null });
  expect(dials(places, 2)).toEqual(['second', 'home']);
});

test('an agent whose operator has named the broker dials no other', async () => {
  const { places } = await open({ isFixed: true });
  connect(places, HOME.broker);
  places.take(FIRST);
  expect(dials(places, 3)).toEqual(['home', 'home', 'home']);
});

test('a file that cannot be read is as none', async () => {
  const { path } = await open();
  await writeFile(path, '{"term":"x"}');
  expect(dials((await open({ path })).places, 2)).toEqual(['home', 'home']);
});

test('rules: a server is no standby of itself, and a round has each place once', () => {
  const known = { term: 1, at: null, standby: SECOND };
  expect(afterTold(known, { term: 2, standby: SECOND }, SECOND, HOME)).toEqual({ term: 2, at: SECOND, standby: null });
  expect(afterTold(known, { term: 1, standby: null }, HOME, HOME)).toEqual({ term: 1, at: null, standby: null });
  expect(roundOf(known, HOME, SECOND)).toEqual([SECOND, HOME]);
  expect(roundOf({ ...known, at: SECOND, standby: HOME }, HOME, null)).toEqual([SECOND, HOME]);
});
