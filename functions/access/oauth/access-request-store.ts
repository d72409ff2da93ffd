/**
 * OAuth authorization requests: what a client requests, a person's decision, and whether the token was fetched. All of it is
 * in one row, so that each step is one write on the condition of the step before.
 *
 * The code begins with the id of the request, so that no second row has to be read. Only its digest is stored.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Sites, Time } from '../../../shared/api/records.ts';
import { Scope, SiteId } from '../../../shared/identity.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/time.ts';
import { digestBytesOf, digestMatches, digestOf } from '../../http/token.ts';
import type { Condition } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';

const RequestedAccess = z.object({
  clientId: z.string(),
  /** The client's own name for itself. */
  clientName: z.string(),
  /** The endpoint for assistants, or the whole API. */
  purpose: z.enum(['mcp', 'api']),
  scopes: z.array(Scope),
  sourceAddress: z.string().nullable(),
  expiresAt: Time,
  redirect: z.object({
    uri: z.string(),
    /** Opaque to us, and returned to the client. */
    state: z.string().nullable(),
    /** SHA-256 of the verifier that the client sends with the code (RFC 7636), in base64url. */
    challenge: z.string(),
    /** The base URL under which the client knows this service (RFC 9207). */
    issuer: z.string(),
  }),
});
export type RequestedAccess = z.infer<typeof RequestedAccess>;

/** The rights that a person has approved. */
const Grant = z.object({
  scopes: z.array(Scope),
  sites: Sites,
  defaultSite: SiteId.nullable(),
  /** Id of the approver's token. */
  by: z.string(),
});
type Grant = z.infer<typeof Grant>;

/** `approved`: the token can be fetched; `used`: it was; `replayed`: the code was used once more. */
const RequestState = z.enum(['open', 'approved', 'denied', 'used', 'replayed']);
type RequestState = z.infer<typeof RequestState>;

export interface AccessRequest extends RequestedAccess {
  id: string;
  state: RequestState;
  /** Null until it is approved. */
  grant: Grant | null;
  /** Id of the fetched token. */
  token: string | null;
}

export function openAccessRequestStore(table: Table, now: () => Date) {
  const isIn = (state: RequestState): Condition => ({ equals: { state } });
  const isOver = ({ until }: Item) => Number(until) <= now().getTime();

  const read = async (id: string): Promise<Item | null> => table.get(rows.accessRequest(id), { consistent: true });

  return {
    /** @returns the id of the request, which cannot be guessed */
    async add(requested: RequestedAccess) {
      const id = randomBytes(16).toString('hex');
      const until = Date.parse(requested.expiresAt);
      // Kept for a day after it expires, so that a replayed code is recognized.
      const ttl = Math.ceil((until + DAY_MS) / 1000);
      const item = { ...rows.accessRequest(id), d: JSON.stringify(requested), state: 'open', until, ttl };
      if (!(await table.put(item, { exists: false }))) throw new Error('a random id occurs twice');
      return id;
    },

    /** A request in any state, also an expired one. */
    async find(id: string) {
      const item = await read(id);
      return item === null ? null : requestIn(id, item);
    },

    /** A request that can be approved or denied; null when there is none, or it has expired. */
    async findOpen(id: string) {
      const item = await read(id);
      return item === null || item.state !== 'open' || isOver(item) ? null : requestIn(id, item);
    },

    /** The request of a code, in any state. */
    async findBySecret(secret: string) {
      const id = /^([0-9a-f]{32})\.[\w-]{43}$/.exec(secret)?.[1];
      const item = id === undefined ? null : await read(id);
      const stored = typeof item?.secret === 'string' ? Buffer.from(item.secret, 'hex') : null;
      if (!digestMatches(digestBytesOf(secret), stored) || id === undefined || item === null) return null;
      return { ...requestIn(id, item), isOver: isOver(item) };
    },

    /** @returns the code for the client, valid for a minute; null when the request is not open */
    async approve(id: string, grant: Grant) {
      const item = await read(id);
      if (item === null || item.state !== 'open' || isOver(item)) return null;
      const code = `${id}.${randomBytes(32).toString('base64url')}`;
      const approved = { state: 'approved', grant: JSON.stringify(grant) };
      const set = { ...approved, secret: digestOf(code), until: now().getTime() + MINUTE_MS };
      return (await table.update(rows.accessRequest(id), { set }, isIn('open'))) ? code : null;
    },

    /** @returns false when the request is not open */
    async deny(id: string) {
      const item = await read(id);
      if (item === null || isOver(item)) return false;
      return table.update(rows.accessRequest(id), { set: { state: 'denied' } }, isIn('open'));
    },

    /** Records the fetched token. @returns false when the code was used before */
    use: (id: string, token: string) =>
      table.update(rows.accessRequest(id), { set: { state: 'used', token } }, isIn('approved')),

    /** Records that a used code was presented again. */
    async noteReplay(id: string) {
      await table.update(rows.accessRequest(id), { set: { state: 'replayed' } }, isIn('used'));
    },
  };
}

function requestIn(id: string, { d, state, grant, token }: Item): AccessRequest {
  return {
    id,
    ...RequestedAccess.parse(JSON.parse(String(d))),
    state: RequestState.parse(state),
    grant: grant === undefined ? null : Grant.parse(JSON.parse(String(grant))),
    token: typeof token === 'string' ? token : null,
  };
}
