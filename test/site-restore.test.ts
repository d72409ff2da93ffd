/** The agent of a site that is deleted, and restored: a process of its own, which is told nothing but by the broker. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { enrolAgent, startRealAgent } from './support/enrolled-agent.ts';
import { sharedSystem } from './support/shared-system.ts';
import { waitFor } from './support/wait-for.ts';

const system = sharedSystem();

/** It waits for twice as long as it was away, at most. */
const BACK_WITHIN_MS = 200_000;

test('an agent of a deleted site is cut off and refused, and comes back by itself when the site is restored', {
  timeout: 2 * BACK_WITHIN_MS,
}, async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'attic');
  await using agent = await startRealAgent(system, enrolled, system.brokerPort);
  const identity = () => readFile(join(enrolled.folder, 'identity.json'), 'utf8');
  const runs = async () => (await system.request('GET', '/nettools/interfaces', { site })).status;
  await waitFor('the agent to work', async () => (await runs()) === 200, BACK_WITHIN_MS);
  const before = await identity();

  const refused = () =>
    system.logged.filter(({ msg, client }) => msg === 'connection rejected' && String(client).endsWith(enrolled.id));
  expect(refused()).toEqual([]);
  expect((await system.request('DELETE', `/sites/${site}?confirm=${site}`)).status).toBe(200);
  expect(await runs()).toBe(403);
  await waitFor('its next attempt to be refused', () => refused().length > 0, BACK_WITHIN_MS);
  expect(refused()[0]).toMatchObject({ reason: 'the certificate has been revoked' });

  expect((await system.request('POST', `/sites/${site}/restore`)).status).toBe(200);
  await waitFor('the agent to work again', async () => (await runs()) === 200, BACK_WITHIN_MS);
  expect(agent.child.exitCode).toBeNull();
  expect(await identity()).toBe(before);
});
