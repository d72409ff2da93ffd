import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentId } from '../shared/identity.ts';
import { startTestApi, type TestApi } from '../test/support/in-process.ts';
import { isDeleted } from './local-agent.ts';

let system: TestApi;
beforeAll(async () => {
  system = await startTestApi();
});
afterAll(() => system.close());

test('an agent that a person has deleted stays deleted, and one that was never there, or is there again, is not', async () => {
  const site = await system.addSite();
  const agent = agentId(site, 'main');
  const { context } = system;
  const enrol = () =>
    context.sites.recordEnrolment({ agent, madeAt: new Date(), replaces: false }, { certificateId: 'x', key: 'k' });
  expect(await isDeleted(context, agent)).toBe(false);
  await enrol();
  expect(await isDeleted(context, agent)).toBe(false);
  expect((await system.request('DELETE', `/sites/${site}/agents/main`)).status).toBe(200);
  expect(await isDeleted(context, agent)).toBe(true);
});
