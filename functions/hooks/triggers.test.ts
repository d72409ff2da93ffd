import { expect, test } from 'vitest';
import { rows } from '../table/rows.ts';
import type { Task } from './queue.ts';
import { NO_HOOKS_FOR_MS, openStream } from './triggers.ts';

const START = Date.parse('2026-11-01T08:15:00Z');

function open(sitesWithHooks: string[] = []) {
  let ms = START;
  const now = () => new Date(ms);
  const asked: string[] = [];
  const sent: { task: Task; after: number }[] = [];
  let [atOnce, most] = [0, 0];
  const hooks = {
    async list(site: string) {
      asked.push(site);
      most = Math.max(most, ++atOnce);
      await Promise.resolve();
      atOnce--;
      return { hooks: sitesWithHooks.includes(site) ? [{}] : [], unreadable: [] } as never;
    },
  };
  const queue = {
    async send(tasks: readonly { task: Task; notBefore: Date }[]) {
      sent.push(...tasks.map(({ task, notBefore }) => ({ task, after: notBefore.getTime() - ms })));
    },
  };
  const take = openStream({ hooks, queue, now });
  const record = ({ pk, sk }: { pk: string; sk: string }) => ({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } });
  return {
    asked,
    sent,
    most: () => most,
    advance: (by: number) => (ms += by),
    changed: (...sites: string[]) => take({ Records: sites.map((site) => record(rows.change(site, 1))) }),
    hookAdded: (site: string) => take({ Records: [record(rows.hook(site, '0123456789ab'))] }),
    deliveryAdded: (site: string, id: string) => take({ Records: [record(rows.delivery(site, '0123456789ab', id))] }),
  };
}

const look = (site: string, after = 0) => ({ task: { t: 'look', site, tries: 0 }, after });

test('that a site has no hooks is remembered for a minute', async () => {
  const { changed, asked, sent, advance } = open(['home']);
  await changed('home', 'office', 'office');
  advance(NO_HOOKS_FOR_MS - 1);
  await changed('home', 'office');
  expect(asked).toEqual(['home', 'office', 'home']);
  advance(1);
  await changed('office');
  expect(asked.at(-1)).toBe('office');
  expect(sent).toEqual([look('home'), look('home')]);
});

test('sites are asked for their hooks sixteen at a time', async () => {
  const { changed, asked, most } = open();
  await changed(...Array.from({ length: 50 }, (_, i) => `site-${i}`));
  expect([asked.length, most()]).toEqual([50, 16]);
});

test('what happens while an instance still remembers that there was no hook is looked for when it has forgotten', async () => {
  const sites: string[] = [];
  const { changed, hookAdded, sent, advance } = open(sites);
  await changed('home');
  sites.push('home');
  advance(1_000);
  await changed('home');
  expect(sent).toEqual([]);
  await hookAdded('home');
  expect(sent).toEqual([look('home', NO_HOOKS_FOR_MS)]);
  await changed('home'); // The instance that has heard of it knows at once.
  expect(sent.at(-1)).toEqual(look('home'));
});

test('a delivery is attempted without any question', async () => {
  const { deliveryAdded, asked, sent } = open();
  await deliveryAdded('home', '1793520900_1_0');
  expect(sent).toMatchObject([{ task: { t: 'deliver', site: 'home', hook: '0123456789ab', id: '1793520900_1_0' } }]);
  expect(asked).toEqual([]);
});
