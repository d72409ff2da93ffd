/**
 * Requests of clients for a token of their own (OAuth): what is asked, what a person has answered, and whether the token was
 * fetched. A row tells all of it, so that each step is one write on the condition of the step before.
 *
 * The secret by which the token is fetched (the code of an assistant, the device code of a command line) begins with the id of
 * the request, so that no second row has to be looked up. Only its digest is stored.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Sites, Time } from '../../shared/api/records.ts';
import { Scope, SiteId } from '../../shared/identity.ts';
import type { Condition } from '../condition.ts';
import { rows } from '../rows.ts';
import type { Item, Table } from '../table.ts';
import { digestBytesOf, digestMatches, digestOf } from './token.ts';

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
  /** Where the answer goes; null for a device, which asks for it. */
  redirect: z
    .object({
      uri: z.string(),
      /** What the client gets back as it was; null when it has sent nothing. */
      state: z.string().nullable(),
      /** SHA-256 of the verifier that will come with the code (RFC 7636), in base64url. */
      challenge: z.string(),
      /** The base URL under which the client knows this service (RFC 9207). */
      issuer: z.string(),
    })
    .nullable(),
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
export type Grant = z.infer<typeof Grant>;

/** `open`: nobody has answered; `approved`: the token can be fetched; `used`: it was; `replayed`: it was, and then tried again. */
export type RequestState = 'open' | 'approved' | 'denied' | 'used' | 'replayed';

export interface AccessRequest extends Asked {
  id: string;
  state: RequestState;
  /** Null until somebody has agreed. */
  grant: Grant | null;
  /** Id of the token that was fetched. */
  token: string | null;
  /** When a device has asked last (Unix, ms), and how long it has to wait before it asks again. */
  askedAt: number | null;
  waitMs: number;
}

/** How long a device waits between its questions, unless it was told to slow down. */
export const DEVICE_WAIT_MS = 5_000;

export interface AccessRequestStore {
  /** Keeps a request of an assistant. @returns its id, which cannot be guessed */
  add(asked: Asked): Promise<string>;
  /**
   * Keeps a request of a device under a user code that is free.
   * @param makeUserCode eight letters, as the code is stored
   * @returns the user code, and the secret by which the device asks
   */
  addDevice(asked: Asked, makeUserCode: () => string): Promise<{ userCode: string; secret: string }>;
  /** A request, whatever has become of it. */
  find(id: string): Promise<AccessRequest | null>;
  /** A request that somebody may answer; null when there is none, it was answered, or its time is over. */
  findOpen(id: string): Promise<AccessRequest | null>;
  /** The request that a secret belongs to, whatever its state, also when its time is over; null when it is not known. */
  findBySecret(secret: string): Promise<(AccessRequest & { isOver: boolean }) | null>;
  /**
   * Agrees to an open request.
   * @returns the secret for an assistant, good for a minute; null for a device, which has its own; false when it is not open
   */
  approve(id: string, grant: Grant): Promise<{ secret: string | null } | false>;
  /** @returns false when the request is not open */
  deny(id: string): Promise<boolean>;
  /** Notes that the token is fetched. @returns false when it was before */
  use(id: string, token: string): Promise<boolean>;
  /** Notes that somebody has come with a secret that was used. */
  noteReplay(id: string): Promise<void>;
  /** Notes that a device has asked, and how long it has to wait from now on. */
  noteAsked(id: string, waitMs: number): Promise<void>;
}

/** How long a client may take to fetch the token after a person has agreed. */
const CODE_VALID_MS = 60_000;
/** A row is kept for a day longer than it is valid, so that a code that comes again is known. */
const KEPT_MS = 86_400_000;
const ATTEMPTS = 5;

export function openAccessRequestStore(table: Table, now: () => Date): AccessRequestStore {
  async function put(id: string, asked: Asked, attributes: Record<string, string>): Promise<boolean> {
    const until = Date.parse(asked.expiresAt);
    const ttl = Math.ceil((until + KEPT_MS) / 1000);
    const d = JSON.stringify(asked satisfies Asked);
    return table.put({ ...rows.accessRequest(id), d, state: 'open', until, ttl, ...attributes }, { exists: false });
  }

  const isIn = (state: RequestState): Condition => ({ equals: { state } });
  const isOver = ({ until }: Item) => Number(until) <= now().getTime();

  async function read(id: string): Promise<Item | null> {
    return table.get(rows.accessRequest(id), { consistent: true });
  }

  return {
    async add(asked) {
      const id = randomBytes(16).toString('hex');
      if (!(await put(id, asked, {}))) throw new Error('a random id occurs twice');
      return id;
    },

    async addDevice(asked, makeUserCode) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const userCode = makeUserCode();
        const secret = secretOf(userCode);
        if (await put(userCode, asked, { secret: digestOf(secret) })) return { userCode, secret };
      }
      throw new Error('no user code is free');
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
      const id = /^([0-9a-f]{32}|[A-Z]{8})\.[\w-]{43}$/.exec(secret)?.[1];
      const item = id === undefined ? null : await read(id);
      const stored = typeof item?.secret === 'string' ? Buffer.from(item.secret, 'hex') : null;
      if (!digestMatches(digestBytesOf(secret), stored) || id === undefined || item === null) return null;
      return { ...requestIn(id, item), isOver: isOver(item) };
    },

    async approve(id, grant) {
      const item = await read(id);
      if (item === null || item.state !== 'open' || isOver(item)) return false;
      const secret = item.secret === undefined ? secretOf(id) : null;
      const agreed = { state: 'approved', grant: JSON.stringify(grant satisfies Grant) };
      const code = secret === null ? {} : { secret: digestOf(secret), until: now().getTime() + CODE_VALID_MS };
      const isDone = await table.update(rows.accessRequest(id), { set: { ...agreed, ...code } }, isIn('open'));
      return isDone && { secret };
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

    async noteAsked(id, waitMs) {
      await table.update(rows.accessRequest(id), { set: { askedAt: now().getTime(), waitMs } }, { exists: true });
    },
  };
}

function secretOf(id: string): string {
  return `${id}.${randomBytes(32).toString('base64url')}`;
}

const State = z.enum(['open', 'approved', 'denied', 'used', 'replayed']);

function requestIn(id: string, { d, state, grant, token, askedAt, waitMs }: Item): AccessRequest {
  return {
    id,
    ...Asked.parse(JSON.parse(String(d))),
    state: State.parse(state),
    grant: grant === undefined ? null : Grant.parse(JSON.parse(String(grant))),
    token: typeof token === 'string' ? token : null,
    askedAt: typeof askedAt === 'number' ? askedAt : null,
    waitMs: typeof waitMs === 'number' ? waitMs : DEVICE_WAIT_MS,
  };
}
