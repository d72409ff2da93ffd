import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { macOf, NETWORK, newKnown, ROUTER, START, seen } from '../../test/support/agent/made-up-lan.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { parsePolicy } from '../jobs/policy.ts';
import type { Reading } from './reading.ts';
import { readSources, type StoredSource, sourceOf, writeSources } from './settings.ts';
import { defineSource, SourceFailure, type SourceObservation } from './source.ts';
import { Sources } from './sources.ts';

const FAR = macOf(1);
const NEAR = macOf(2);

const KIND = defineSource({
  kind: 'made-up',
  title: 'Made-up router',
  settings: z.object({ url: z.string(), password: z.string().optional() }),
  secrets: ['password'],
  rights: 'None.',
  async *read() {},
});

const stored = (name: string, settings = { url: 'http://192.0.2.1' }): StoredSource => ({
  ...{ name, kind: 'made-up', everyMinutes: 1, pins: {}, settings },
});

/** The first reading begins at once. */
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

/** Pauses are real; the time stands still, and the answers are those of the test. */
async function startSources(all: StoredSource[], policy: unknown = {}) {
  const folder = makeTestFolder();
  const file = join(folder.path, 'sources.json');
  await writeSources(file, all);
  const { known, cycle } = await newKnown();
  const answers = new Map<string, SourceObservation[] | Error>();
  const counts = new Map<string, number>();
  const stop = new AbortController();
  const sources = new Sources({
    file,
    rules: parsePolicy(policy).sources,
    known,
    scanned: () => [NETWORK],
    onChanges: () => {},
    onState: () => {},
    log: pino({ level: 'silent' }),
    followMs: 5,
    now: () => START,
    sourceOf: (each) => ({ ...sourceOf(each, [KIND]), everyMs: 5 }),
    async read({ name }): Promise<Reading> {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const answer = answers.get(name) ?? [];
      if (answer instanceof Error) throw answer;
      return { hosts: new Map(answer.map((host) => [host.mac, host])), isCut: false };
    },
  });
  const running = sources.run(stop.signal);
  return {
    ...{ sources, known, cycle, file, answers, counts },
    observed: (mac: string) => known.get(mac)?.observations.map(({ source, value }) => `${source} ${value}`),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('what a source knows becomes evidence; that of the first in the file counts, and it goes with the source', async () => {
  await using at = await startSources([stored('one'), stored('two')]);
  at.cycle(START, [ROUTER, seen(NEAR, '10.0.0.12')]);
  const accessPoint = macOf(9);
  const radio = { medium: 'wireless' as const, ssid: 'Home', accessPoint };
  at.answers.set('one', [{ mac: NEAR, addresses: ['10.0.0.12'], givenName: 'Kitchen', link: radio }]);
  const link = { medium: 'wired' as const, switch: macOf(8), port: 'Port 4' };
  at.answers.set('two', [
    { mac: NEAR, addresses: [], hostName: 'esp-12', vendor: 'Acme', model: 'X1', dhcp: { vendorClass: 'udhcp' }, link },
    { mac: FAR, addresses: ['10.9.0.1'], lastSeen: START, link },
  ]);
  const all = [
    ...['dhcp-class udhcp', 'given-name Kitchen', 'host-name esp-12', 'known-by one (made-up)'],
    ...['known-by two (made-up)', 'link wireless Home', `parent-source ${accessPoint}`],
    ...['source-maker Acme', 'source-model X1'],
  ];
  await expect.poll(() => at.observed(NEAR)?.sort()).toEqual(all);
  await expect.poll(() => at.observed(FAR)).toContain(`parent-source ${macOf(8)} Port 4`);
  expect(at.sources.networks).toEqual(['10.9.0.0/24']);
  await writeSources(at.file, [stored('two')]);
  await expect.poll(() => at.observed(NEAR)).not.toContain('known-by one (made-up)');
  await expect.poll(() => at.observed(NEAR)).toContain('link wired');
  expect(at.observed(NEAR)).not.toContain('given-name Kitchen');
});

test('a source that fails is a problem, its networks are not monitored, and its devices stay as they were', async () => {
  await using at = await startSources([stored('one')]);
  at.answers.set('one', [{ mac: FAR, addresses: ['10.9.0.1'], givenName: 'Hall', lastSeen: START }]);
  await expect.poll(() => at.sources.networks).toEqual(['10.9.0.0/24']);
  const cause = new Error('"Anna\'s phone"'); // What a reader has not understood is in no problem.
  at.answers.set('one', new SourceFailure('192.0.2.1 did not answer within 10 s', { cause }));
  await expect.poll(() => at.counts.get('one') ?? 0).toBeGreaterThan(2);
  const before = at.counts.get('one');
  expect(at.sources.networks).toEqual(['10.9.0.0/24']); // One failure may be transient.
  await writeSources(at.file, [{ ...stored('one'), everyMinutes: 2 }]);
  // Not read yet with these settings: reported at once.
  await expect.poll(() => at.sources.problems).toEqual(['source one (made-up): 192.0.2.1 did not answer within 10 s']);
  expect(at.sources.networks).toEqual([]);
  expect(at.known.get(FAR)?.presence.online).toBe(true);
  expect(at.observed(FAR)).toContain('given-name Hall');
  expect(at.counts.get('one')).toBeGreaterThan(before ?? 0);
});

test('the devices of a source that is removed are forgotten; those that scans see are not', async () => {
  await using at = await startSources([stored('one')]);
  at.cycle(START, [ROUTER, seen(NEAR, '10.0.0.12')]);
  at.answers.set('one', [
    { mac: FAR, addresses: ['10.9.0.1'], lastSeen: START },
    { mac: NEAR, addresses: ['10.0.0.12'], hostName: 'lamp' },
  ]);
  await expect.poll(() => at.observed(NEAR)).toContain('host-name lamp');
  await rm(at.file);
  await expect.poll(() => at.known.get(FAR)).toBeUndefined();
  await expect.poll(() => at.observed(NEAR)).toEqual([]);
  expect(at.known.get(NEAR)?.presence.online).toBe(true);
});

test('settings that are wrong are a problem of their source alone, and no secret is in it', async () => {
  const wrong = { name: 'wrong', kind: 'made-up', everyMinutes: 1, pins: {}, settings: { password: 'hunter2' } };
  await using at = await startSources([wrong, stored('right')]);
  await expect.poll(() => at.counts.get('right') ?? 0).toBeGreaterThan(1);
  expect(at.sources.problems).toHaveLength(1);
  expect(at.sources.problems[0]).toMatch(/^source wrong \(made-up\): --url: /);
  expect(at.sources.problems[0]).not.toContain('hunter2');
});

test('where the policy forbids sources, none is read', async () => {
  await using at = await startSources([stored('one')], { sources: { enabled: false } });
  await expect.poll(() => at.sources.problems).toEqual(['The policy of this host does not allow sources']);
  expect(at.counts.size).toBe(0);
});

test('the file: only its owner may read it, and it is written whole', async () => {
  await using folder = makeTestFolder();
  const file = join(folder.path, 'sources.json');
  expect(await readSources(file)).toEqual([]);
  await writeSources(file, [stored('one')]);
  expect(await readSources(file)).toEqual([stored('one')]);
  await chmod(file, 0o640);
  await expect(readSources(file)).rejects.toThrow(`others may read or write it; chmod 600 ${file}`);
  await rm(file);
  await writeSources(file, [stored('one'), stored('one')]);
  await expect(readSources(file)).rejects.toThrow('has two of the name one');
});
