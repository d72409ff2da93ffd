/** A server from which another one has taken over: what it has can be read, and nothing is changed. */
import { expect, test } from 'vitest';
import { startTestApi } from '../support/in-process.ts';

test('all that reads is answered, also by POST; what changes something is refused with the reason', async () => {
  await using api = await startTestApi({ whyReadOnly: () => 'another one has taken over' });
  const status = async (method: string, path: string, body?: object) => {
    const answer = await api.request(method, path, body === undefined ? {} : { body });
    return [answer.status, (answer.json as { message?: string }).message];
  };
  expect(await status('GET', '/sites')).toEqual([200, undefined]);
  expect(await status('POST', '/devices/by-status', { status: 'my' })).toEqual([200, undefined]);
  expect(await status('POST', '/devices/search', { query: 'nas' })).toEqual([200, undefined]);
  const refused = [503, 'another one has taken over'];
  expect(await status('POST', '/sites', { id: 'cabin' })).toEqual(refused);
  expect(await status('PATCH', '/sites/home', { name: 'Home' })).toEqual(refused);
  expect(await status('DELETE', '/sites/home')).toEqual(refused);
});
