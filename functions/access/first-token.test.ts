import { describe, expect, test } from 'vitest';
import { SCOPES } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { makeFirstToken } from '../../test/support/background-work.ts';
import { aroundCalls } from '../../test/support/database-calls.ts';
import { memoryTable } from '../../test/test-table.ts';
import type { Context } from '../context.ts';
import { accessGroup } from '../groups/access.ts';
import { service } from '../http/service.ts';
import { makeToken } from '../http/token.ts';
import { openStores } from '../stores.ts';
import { rootTokenRow } from './first-access.ts';
import type { NoTokenMade, TokenMade } from './first-token.ts';

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };
const now = () => new Date();

/** Called around each call that the function makes of the table. `number` counts them from 0. */
type Around = (number: number, call: () => Promise<unknown>) => Promise<unknown>;

/** A deployment with nothing in its table yet. */
function deployment() {
  const table = memoryTable();

  /** What one more function opens on the same table: as an instance of its own, or after a further deployment. */
  function open(around?: Around) {
    const stores = openStores(table.open(), now);
    let calls = 0;
    if (around !== undefined) aroundCalls(stores.table, (_, pass) => around(calls++, pass));
    return stores;
  }

  const stores = open();
  const rest = { log: silent, now, settings: { version: 'test', corsOrigins: [] } };
  const api = service({ ...stores, ...rest } as unknown as Context, accessGroup.routes.admin);
  return {
    stores,
    open,
    /** The response to an invocation. */
    invoke: (payload: unknown = {}, opened = open()) => makeFirstToken({ ...opened, now }, payload, 'request'),
    /** The status of a request with this token. */
    async status(token: string) {
      return (await api.request('/tokens', { headers: { authorization: `Bearer ${token}` } })).status;
    },
    async validIds() {
      return (await stores.tokens.list()).map(({ id }) => id);
    },
    /** What the audit of all sites says, the oldest first. */
    async audit() {
      const { entries } = await stores.audit.list(null, undefined, 50);
      return entries.map(({ actor, action, detail }) => `${actor} ${action} ${detail.id}`).reverse();
    },
  };
}
type Deployment = ReturnType<typeof deployment>;

function made(answer: TokenMade | NoTokenMade): TokenMade {
  if (!answer.success) throw new Error(`no token was made: ${answer.message}`);
  return answer;
}

const REPLACE = { replace: true };

test('the first call creates a site and a token with every right, and returns it; the audit has both; further calls change nothing', async () => {
  const system = deployment();
  const answer = made(await system.invoke());
  const { id, token, createdAt } = answer;
  const secret = expect.stringMatching(/^lr_[0-9a-f]{16}\.[\w-]{43}$/);
  expect(answer).toEqual({ success: true, token: secret, id: token.slice(3, 19), createdAt, revoked: null });
  const tokens = await system.stores.tokens.list();
  expect(tokens).toMatchObject([
    {
      ...{ id, name: 'first token', scopes: [...SCOPES], sites: '*', defaultSite: 'home' },
      ...{ createdAt, createdBy: null, expiresAt: null },
    },
  ]);
  expect((await system.stores.sites.list()).map(({ id }) => id)).toEqual(['home']);
  expect((await system.stores.audit.list('home', undefined, 10)).entries).toMatchObject([
    { action: 'site.add', actor: 'deployment' },
  ]);
  for (let i = 0; i < 2; i++) {
    const further = await system.invoke();
    expect(further).toEqual({ success: false, message: expect.stringContaining('{"replace": true}'), id, createdAt });
    expect(JSON.stringify(further)).not.toContain(token.split('.')[1]);
  }
  expect([await system.stores.tokens.list(), await system.audit()]).toEqual([
    tokens,
    [`deployment token.create ${id}`],
  ]);
  expect(await system.status(token)).toBe(200);
});

test('a replacement revokes the first token alone, makes another one, and the audit has both', async () => {
  const system = deployment();
  const former = made(await system.invoke());
  const other = '0123456789abcdef';
  await system.stores.tokens.add(other, rootTokenRow(makeToken(), 'other', now()));
  const answer = made(await system.invoke(REPLACE));
  expect(answer.revoked).toBe(former.id);
  expect([await system.status(former.token), await system.status(answer.token)]).toEqual([403, 200]);
  expect((await system.validIds()).sort()).toEqual([answer.id, other].sort());
  // What is written in one transaction has one time, and no order.
  const written = [`deployment token.create ${answer.id}`, `deployment token.revoke ${former.id}`];
  expect(await system.audit()).toEqual(expect.arrayContaining(written));
  expect(await system.invoke()).toMatchObject({ success: false, id: answer.id });
});

test('a revoked first token stays revoked, and no other is created until it is requested', async () => {
  const system = deployment();
  const former = made(await system.invoke());
  await system.stores.tokens.revoke(former.id);
  for (let i = 0; i < 2; i++) {
    expect(await system.invoke()).toMatchObject({
      success: false,
      id: former.id,
      message: expect.stringMatching(/^The first token has been revoked/),
    });
  }
  expect(await system.validIds()).toEqual([]);
  const audit = await system.audit();
  const answer = made(await system.invoke(REPLACE));
  expect(answer.revoked).toBeNull();
  expect([await system.status(former.token), await system.status(answer.token)]).toEqual([403, 200]);
  // Its revocation was by another actor, whom the audit names.
  expect((await system.audit()).slice(audit.length)).toEqual([`deployment token.create ${answer.id}`]);
});

const WRONG = [{ repalce: true }, { replace: 'true' }, { replace: true, force: true }, { RequestType: 'Create' }];

test.each([null, undefined, '', [], ...WRONG])('%j as the payload makes nothing', async (payload) => {
  const system = deployment();
  expect(await makeFirstToken({ ...system.stores, now }, payload, 'request')).toEqual({
    success: false,
    message: 'Expected {} as the payload, or {"replace": true} to revoke the first token and get another one',
  });
  expect(await system.validIds()).toEqual([]);
  expect(await system.stores.sites.list()).toEqual([]);
});

/** Where calls begin, and what they ask for. */
const beginnings: [string, { payload: object; begin(system: Deployment): Promise<TokenMade | null> }][] = [
  ['a first token', { payload: {}, begin: async () => null }],
  ['a replacement', { payload: REPLACE, begin: async (system) => made(await system.invoke()) }],
];

class Stopped extends Error {}

describe.each(beginnings)('%s', (_, { payload, begin }) => {
  test.each(['before', 'after'])(
    'a call may be stopped %s any of its calls of the table: there is the token of before or the new one, and never both',
    async (moment) => {
      for (let stopAt = 0, isStopped = true; isStopped; stopAt++) {
        const system = deployment();
        const former = await begin(system);
        const around: Around = async (number, call) => {
          if (number !== stopAt) return call();
          if (moment === 'after') await call();
          throw new Stopped('the function was stopped');
        };
        const ending = await system.invoke(payload, system.open(around)).catch((error: unknown) => error);
        isStopped = ending instanceof Stopped;
        if (!isStopped) {
          expect(made(ending as TokenMade).revoked).toBe(former?.id ?? null);
          expect(stopAt).toBeGreaterThan(2);
          break;
        }
        const valid = await system.validIds();
        expect(valid.length, `stopped ${moment} call ${stopAt}`).toBeLessThanOrEqual(1);
        if (former !== null) expect(valid).toHaveLength(1);
        // Each valid token stands in the audit, however far the call came.
        for (const id of valid) expect(await system.audit()).toContain(`deployment token.create ${id}`);
        const next = made(await system.invoke(REPLACE));
        expect(next.revoked).toBe(valid[0] ?? null);
        expect(await system.validIds()).toEqual([next.id]);
        expect(await system.status(next.token)).toBe(200);
      }
    },
  );

  test.each(['before', 'after'])(
    'another call may come %s any call of the table: one of the two has the valid token',
    async (moment) => {
      for (let at = 0, isReached = true; isReached; at++) {
        const system = deployment();
        await begin(system);
        isReached = false;
        const answers: (TokenMade | NoTokenMade)[] = [];
        const around: Around = async (number, call) => {
          if (number !== at) return call();
          isReached = true;
          const answer = moment === 'after' ? await call() : null;
          answers.push(await system.invoke(payload));
          return moment === 'after' ? answer : call();
        };
        answers.push(await system.invoke(payload, system.open(around)));
        await expectOneOf(system, answers);
      }
    },
  );
});

/** There is one valid token, one of the answers has it, and those without a token name it or one of before. */
async function expectOneOf(system: Deployment, answers: (TokenMade | NoTokenMade)[]): Promise<void> {
  const tokens = answers.flatMap((answer) => (answer.success ? [answer.token] : []));
  const statuses = await Promise.all(tokens.map((token) => system.status(token)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  const valid = tokens[statuses.indexOf(200)];
  expect(await system.validIds()).toEqual([valid?.slice(3, 19)]);
  expect(await system.invoke()).toMatchObject({ success: false, id: valid?.slice(3, 19) });
}
