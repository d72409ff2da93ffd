import { expect, test } from 'vitest';
import * as z from 'zod';
import { parsePolicy } from '../jobs/policy.ts';
import { readSource } from './reading.ts';
import type { SourceObservation, SourceRequest } from './source.ts';

/** What a reading of a made-up product brings. */
function read(rows: (request: SourceRequest) => AsyncIterable<SourceObservation>, stop = new AbortController().signal) {
  const about = { kind: 'made-up', title: 'Made-up', settings: z.object({}), secrets: [], rights: '' };
  const kind = { ...about, read: (_: unknown, request: SourceRequest) => rows(request) };
  const source = { name: 'one', kind, settings: {}, everyMs: 1, pins: new Map() };
  const options = { rules: parsePolicy({}).sources, pins: source.pins, mayPin: false, memory: new Map(), withinMs: 50 };
  return readSource(source, { ...options, now: () => 1_000 }, stop);
}

test('a reader that hangs, or that ignores the signal, is left; the signal tells it', async () => {
  let signal: AbortSignal | undefined;
  async function* hang(request: SourceRequest): AsyncGenerator<SourceObservation> {
    signal = request.signal;
    yield { mac: '02:aa:bb:00:00:01', addresses: [] };
    await new Promise(() => {});
  }
  await expect(read(hang)).rejects.toThrow('the reading took longer than 0.05 s');
  expect(signal?.aborted).toBe(true);
  await expect(read(hang, AbortSignal.abort())).rejects.toThrow('the reading was stopped');
});

test('rows of one MAC are one host: what comes later adds, and replaces what it names', async () => {
  async function* rows(): AsyncGenerator<SourceObservation> {
    const [mac, other] = ['02-aa-bb-00-00-01', '02:AA:BB:00:00:02'];
    yield { mac, addresses: ['10.9.0.1'], hostName: 'old.', lastSeen: 900, link: { medium: 'wireless', ssid: 'Home' } };
    const addresses = ['10.9.0.1', 'FD00::1'];
    yield { mac: mac.toUpperCase(), addresses, hostName: 'new', givenName: '*', lastSeen: 5_000 };
    yield { mac, addresses: [], lastSeen: 800, link: { medium: 'wireless', accessPoint: 'nonsense' } };
    const names = { givenName: ' Anna\u0007\u202e phone ', hostName: '02aabb000002' };
    yield { mac: other, addresses: ['0.0.0.0', '10.9.0.2'], ...names };
  }
  const { hosts } = await read(rows);
  expect([...hosts.values()]).toEqual([
    {
      ...{ mac: '02:AA:BB:00:00:01', addresses: ['10.9.0.1', 'fd00::1'], hostName: 'new', lastSeen: 1_000 },
      link: { medium: 'wireless', ssid: 'Home' },
    },
    { mac: '02:AA:BB:00:00:02', addresses: ['10.9.0.2'], givenName: 'Anna phone' },
  ]);
});
