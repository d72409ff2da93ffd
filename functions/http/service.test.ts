import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Env, Routes } from './call.ts';
import type { ServiceSettings } from './context.ts';
import { service } from './service.ts';

/** One operation, of a caller whose token is known. */
const routes: Routes<unknown> = {
  operations: { known: { method: 'GET', path: '/known' } },
  bind: () =>
    new Hono<Env>().get('/known', (c) => {
      c.set('tokenId', '0123456789abcdef');
      return c.body(null, 404);
    }),
};

function open(settings: Partial<ServiceSettings>) {
  const lines: object[] = [];
  const log = { info: (fields: object) => void lines.push(fields), warn: () => {}, error: () => {} };
  const app = service({ log, settings: { version: '', corsOrigins: [], ...settings } }, routes);
  return { lines, get: (path: string) => app.request(path) };
}

test('one in twenty rejections without a valid token is in the log, where lines are paid for; the first is', async () => {
  const { lines, get } = open({ rejectionSampling: 20 });
  for (let i = 0; i < 21; i++) {
    expect((await get('/unknown')).status).toBe(404);
    expect(lines).toHaveLength(i < 20 ? 1 : 2);
  }
});

test('every request with a valid token is in the log, and on one machine every other, too', async () => {
  const cloud = open({ rejectionSampling: 20 });
  for (let i = 0; i < 3; i++) await cloud.get('/known');
  expect(cloud.lines).toHaveLength(3);
  const home = open({});
  for (let i = 0; i < 3; i++) await home.get('/unknown');
  expect(home.lines).toHaveLength(3);
});
