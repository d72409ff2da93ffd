/**
 * Requests of clients for a token of their own (OAuth): what is asked, what a person has answered, and whether the token was
 * fetched. A row tells all of it, so that each step is one write on the condition of the step before.
 *
 * The code by which the token is fetched begins with the id of the request, so that no second row has to be looked up. Only its
 * digest is stored.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Sites, Time } from '../../../shared/api/records.ts';
import { Scope, SiteId } from '../../../shared/identity.ts';
import { digestBytesOf, digestMatches, digestOf } from '../../http/token.ts';
import type { Condition } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';

/** What a client has asked for. */
const Asked = z.object({
  clientId: z.string(),
  /** What the client calls itself. */
  clientName: z.string(),
  /** What the token is for: the endpoint for assistants, or the whole API. */
  purpose: z.enum(['mcp', 'api']),
  scopes: z.array(Scope),
  sourceAddress: z.string().nullable(),
  expiresAt: Time,
  /** Where the answer goes. */
  redirect: z.object({
    uri: z.string(),
    /** What the client gets back as it was; null when it has sent nothing. */
    state: z.string().nullable(),
    /** SHA-256 of the verifier that will come with the code (RFC 7636), in base64url. */
    challenge: z.string(),
    /** The base URL under which the client knows this service (RFC 9207). */
    issuer: z.string(),
  }),
});
export type Asked = z.infer<typeof Asked>;

/** What a person has agreed to. */
const Grant = z.object({
  scopes: z.array(Scope),
  sites: Sites,
  defaultSite: SiteId.nullable(),
  /** Id of the token of whoever has agreed. */
  by: z.string(),
});
type Grant = z.infer<typeof Grant>;

/** `open`: nobody has answered; `approved`: the token can be fetched; `used`: it was; `replayed`: it was, and then tried again. */
type RequestState = 'open' | 'approved' | 'denied' | 'used' | 'replayed';

export interface AccessRequest extends Asked {
  id: string;
  state: RequestState;
  /** Null until somebody has agreed. */
  grant: Grant | null;
  /** Id of the token that was fetched. */
  token: string | null;
}

interface AccessRequestStore {
  /** Keeps a request. @returns its id, which cannot be guessed */
  add(asked: Asked): Promise<string>;
  /** A request, whatever has become of it. */
  find(id: string): Promise<AccessRequest | null>;
  /** A request that somebody may answer; null when there is none, it was answered, or its time is over. */
  findOpen(id: string): Promise<AccessRequest | null>;
  /** The request that a secret belongs to, whatever its state, also when its time is over; null when it is not known. */
  findBySecret(secret: string): Promise<(AccessRequest & { isOver: boolean }) | null>;
  /**
   * Agrees to an open request.
   * @returns the code for the client, good for a minute; null when it is not open
   */
  approve(id: string, grant: Grant): Promise<string | null>;
  /** @returns false when the request is not open */
  deny(id: string): Promise<boolean>;
  /** Notes that the token is fetched. @returns false when it was before */
  use(id: string, token: string): Promise<boolean>;
  /** Notes that somebody has come with a secret that was used. */
  noteReplay(id: string): Promise<void>;
}

/** How long a client may take to fetch the token after a person has agreed. */
const CODE_VALID_MS = 60_000;
/** A row is kept for a day longer than it is valid, so that a code that comes again is known. */
const KEPT_MS = 86_400_000;

export function openAccessRequestStore(table: Table, now: () => Date): AccessRequestStore {
  const isIn = (state: RequestState): Condition => ({ equals: { state } });
  const isOver = ({ until }: Item) => Number(until) <= now().getTime();

  async function read(id: string): Promise<Item | null> {
    return table.get(rows.accessRequest(id), { consistent: true });
  }

  return {
    async add(asked) {
      const id = randomBytes(16).toString('hex');
      const until = Date.parse(asked.expiresAt);
      const d = JSON.stringify(asked satisfies Asked);
      const item = { ...rows.accessRequest(id), d, state: 'open', until, ttl: Math.ceil((until + KEPT_MS) / 1000) };
      if (!(await table.put(item, { exists: false }))) throw new Error('a random id occurs twice');
      return id;
    },

    async find(id) {
      const item = await read(id);
      return item === null ? null : requestIn(id, item);
    },

    async findOpen(id) {
      const item = await read(id);
      return item === null || item.state !== 'open' || isOver(item) ? null : requestIn(id, item);
    },

    async findBySecret(secret) {
      const id = /^([0-9a-f]{32})\.[\w-]{43}$/.exec(secret)?.[1];
      const item = id === undefined ? null : await read(id);
      const stored = typeof item?.secret === 'string' ? Buffer.from(item.secret, 'hex') : null;
      if (!digestMatches(digestBytesOf(secret), stored) || id === undefined || item === null) return null;
      return { ...requestIn(id, item), isOver: isOver(item) };
    },

    async approve(id, grant) {
      const item = await read(id);
      if (item === null || item.state !== 'open' || isOver(item)) return null;
      const code = `${id}.${randomBytes(32).toString('base64url')}`;
      const agreed = { state: 'approved', grant: JSON.stringify(grant satisfies Grant) };
      const set = { ...agreed, secret: digestOf(code), until: now().getTime() + CODE_VALID_MS };
      return (await table.update(rows.accessRequest(id), { set }, isIn('open'))) ? code : null;
    },

    async deny(id) {
      const item = await read(id);
      if (item === null || isOver(item)) return false;
      return table.update(rows.accessRequest(id), { set: { state: 'denied' } }, isIn('open'));
    },

    use: (id, token) => table.update(rows.accessRequest(id), { set: { state: 'used', token } }, isIn('approved')),

    async noteReplay(id) {
      await table.update(rows.accessRequest(id), { set: { state: 'replayed' } }, isIn('used'));
    },
  };
}

const State = z.enum(['open', 'approved', 'denied', 'used', 'replayed']);

function requestIn(id: string, { d, state, grant, token }: Item): AccessRequest {
  return {
    id,
    ...Asked.parse(JSON.parse(String(d))),
    state: State.parse(state),
    grant: grant === undefined ? null : Grant.parse(JSON.parse(String(grant))),
    token: typeof token === 'string' ? token : null,
  };
}
