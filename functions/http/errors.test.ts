import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { addConsumed, withRequestCost } from '../table/request-cost.ts';
import type { Env } from './call.ts';
import { errorResponse } from './errors.ts';

const log: Log = { info() {}, warn() {}, error() {} };

/** The answer to a request that consumes a unit of this kind, and for which there is then no turn. */
async function answerAfter(kind: 'read' | 'write') {
  const app = new Hono<Env>();
  app.onError((error, c) => errorResponse(c, error, 'request', log));
  app.use(async (c, next) => {
    c.set('headers', {});
    await withRequestCost(() => next());
  });
  app.get('/', async () => {
    addConsumed(kind, 1);
    throw new ServiceError('busy', 'no turn', { retryAfter: 2 });
  });
  const response = await app.request('/');
  return [response.status, response.headers.get('retry-after'), await response.json()];
}

test('a request is refused as busy only as long as it has written nothing', async () => {
  expect(await answerAfter('read')).toMatchObject([503, '2', { code: 'busy', message: 'no turn' }]);
  expect(await answerAfter('write')).toMatchObject([503, '2', { code: 'unavailable', message: 'no turn' }]);
});
