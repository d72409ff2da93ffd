/** From a request to a handler and back: authenticate, read, call, respond. */
import { Hono, type Context as HonoContext } from 'hono';
import type { Input, Operation, Operations, Output } from '../../shared/api/operation.ts';
import { type ErrorCode, ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { ValidToken } from '../../store/access/token-store.ts';
import { LONGEST_WAIT_S } from '../../store/commands/waiting-places.ts';
import type { JobHandle } from '../commands/agent-dispatcher.ts';
import type { Context, RequestContext } from '../context/context.ts';
import { Answer } from './answer.ts';
import { authenticate, chooseSite, knownTokenId, type PresentedToken, requireScope } from './authenticate.ts';
import { streamError } from './errors.ts';
import { linkToNextPage } from './next-page.ts';
import { type Endpoint, honoPath, isConcrete, refuseUnknownPath } from './paths.ts';
import { mayBeLarge, readInput } from './request.ts';
import type { RequestLimit } from './request-limit.ts';
import { respond } from './respond.ts';
import { openSemaphore } from './semaphore.ts';
import { idempotencyKeyOf, type Waiting, type WaitLimit, waitingOf } from './waiting.ts';

/** What a handler knows about its request besides the input. */
export interface Call {
  /** The site of an operation that is about one; empty otherwise. */
  site: SiteId;
  token: ValidToken;
  requestId: string;
  /** The address of the client, for the audit; null for a request that did not come over a network. */
  sourceAddress: string | null;
  /** The uploaded file, for an operation that takes one. */
  upload: Uint8Array | null;
  /** How the caller wants to wait, for an operation that runs a command or follows one. */
  waiting: Waiting;
  waitLimit: WaitLimit;
  /** Aborted when the client has gone, as far as the server notices that. */
  gone: AbortSignal;
  /** The Idempotency-Key header, for a request that may be repeated; null without one. */
  idempotencyKey: string | null;
  /** The Last-Event-ID header: the last event that a reconnecting client has received; empty without one. */
  lastEventId: string;
  /** The If-Match header; null without one. */
  ifMatch: string | null;
  /** The If-None-Match header; null without one. */
  ifNoneMatch: string | null;
  /** The path prefix under which the service is reached; for links to itself. */
  prefix: string;
  /** Told of the command that the request has started or joined, by a caller inside this process. */
  onJob: ((job: JobHandle) => void) | undefined;
}

/** @typeParam Used what the handlers use: a function with a part of the context opens no more than that */
export type Handlers<Ops extends Operations, Used = Context> = {
  [Name in keyof Ops]: (context: Used, call: Call, input: Input<Ops[Name]>) => Promise<Output<Ops[Name]> | Answer>;
};

/** What the server or the gateway says of a request, and the variables that middleware and routes share. */
export interface Env {
  /**
   * The address of the client, absent for a request that did not come over a network; when the gateway received it
   * (Unix, ms), where there is one; and what a caller inside this process passes with a request, which one from outside
   * cannot have.
   */
  Bindings: { clientAddress?: string; arrivedAt?: number } & Partial<Pick<Call, 'onJob'>>;
  Variables: {
    requestId: string;
    /** The headers of the answer, whatever it will be; see `reply`. */
    headers: Record<string, string>;
    /** The token in the Authorization header; null without one. */
    presented: PresentedToken | null;
    prefix: string;
    requestLimit: RequestLimit;
    /** The name of the operation in its table. */
    operation: string;
    route: string;
    tokenId: string;
    site: string;
    /** Why the request was refused or failed; not set otherwise. */
    errorCode: ErrorCode;
  };
}

/** A group of operations: one function in the cloud, a part of the server on one machine. */
export interface Group<Used = Context> {
  operations: Readonly<Record<string, Endpoint>>;
  routes: (context: Used) => Hono<Env>;
}

/** A group from its table of operations and its handlers; an operation without a handler does not compile. */
export function group<Ops extends Operations, Used extends RequestContext>(
  operations: Ops,
  handlers: Handlers<Ops, Used>,
): Group<Used> {
  return {
    operations,
    routes(context) {
      const routes = new Hono<Env>();
      function add(name: keyof Ops & string): void {
        const operation: Operation = operations[name]!;
        // The types pair each operation with its handler; a loop over the names cannot express that.
        const handler = handlers[name] as unknown as Handlers<Operations, Used>[string];
        routes.on(operation.method, honoPath(operation.path), (c) => answer(context, c, name, operation, handler));
      }
      const names = Object.keys(operations) as (keyof Ops & string)[];
      const concrete = names.filter((name) => isConcrete(operations[name]!));
      for (const name of concrete) add(name);
      // `DELETE /devices/totals` is about no device.
      for (const name of concrete) routes.all(operations[name]!.path, (c) => c.notFound());
      for (const name of names) if (!concrete.includes(name)) add(name);
      return routes;
    },
  };
}

async function answer<Used extends RequestContext>(
  context: Used,
  c: HonoContext<Env>,
  name: string,
  operation: Operation,
  handler: Handlers<Operations, Used>[string],
): Promise<Response> {
  if (c.req.method === 'HEAD' && !allowsHead(operation)) return c.notFound(); // The response lists the methods that are allowed.
  if (operation.onlyKnownPaths) refuseUnknownPath(operation, c.req.path, c.req.param());
  c.set('operation', name);
  c.set('route', operation.path);
  const now = Date.now();
  const waitLimit = {
    arrivedAt: Math.min(c.env?.arrivedAt ?? now, now),
    longestWaitS: context.settings.longestWaitS ?? LONGEST_WAIT_S,
  };
  const presented = c.get('presented');
  const named = c.req.query('site') ?? c.req.header('x-site');
  const count = (id: string) => c.get('requestLimit').count(id, c.get('headers'));
  // Before anything is read: a request that is one too many should cost nothing.
  const knownId = operation.scope === null ? null : knownTokenId(context.tokens, presented);
  if (knownId !== null) count(knownId);
  const found = operation.scope === null ? null : await authenticate(context.tokens, presented);
  const token = found?.token ?? ANONYMOUS;
  c.set('tokenId', token.id);
  if (operation.scope !== null) {
    if (knownId === null) count(token.id);
    requireScope(token, operation.scope);
  }
  // A failure must not fail the request.
  const touched = found === null ? undefined : context.tokens.touch(found)?.catch(() => {});
  try {
    const site = operation.perSite ? chooseSite(token, named) : '';
    c.set('site', site);
    const carryOut = async () => {
      const { input, upload } = await readInput(operation, c.req);
      const call: Call = {
        site,
        token,
        requestId: c.get('requestId'),
        sourceAddress: c.env?.clientAddress || null,
        upload,
        get waiting() {
          return waitingOf(c.req, waitLimit);
        },
        waitLimit,
        // Read only where it is needed, because the adapter for Node.js makes it then.
        get gone() {
          return c.req.raw.signal;
        },
        idempotencyKey: idempotencyKeyOf(c.req),
        lastEventId: c.req.header('last-event-id') ?? '',
        ifMatch: c.req.header('if-match') ?? null,
        ifNoneMatch: c.req.header('if-none-match') ?? null,
        prefix: c.get('prefix'),
        onJob: c.env?.onJob,
      };
      return handler(context, call, input);
    };
    const result = await (mayBeLarge(operation, c.req) ? largeBodies.run(token.id, carryOut) : carryOut());
    const given = result instanceof Answer ? result : new Answer(result, { status: operation.status ?? 200 });
    const link = linkToNextPage(operation, c.req, { prefix: c.get('prefix'), site }, given.body);
    if (link !== null) c.get('headers').Link = link;
    return await respond(c, given, {
      explain: (error) => streamError(error, c.get('requestId'), context.log),
      watch: (end) =>
        context.tokenWatch.watch(token.id, () => {
          end(new ServiceError('forbidden', 'The token of this request has been revoked or has expired'));
        }),
    });
  } finally {
    // Also after a failure: Lambda may freeze the function when it has answered, and pending work would run hours later
    // or never.
    await touched;
  }
}

/** Limits the large bodies in memory: those being received, and those of requests being handled. */
const largeBodies = openSemaphore({
  atOnce: 8,
  each: 4,
  waiting: 32,
  waitMs: 60_000,
  refusal: 'The service is handling too many large request bodies; try again later',
});

/** The caller of an operation that needs no token. */
const ANONYMOUS: ValidToken = {
  id: '',
  name: '',
  scopes: [],
  sites: [],
  defaultSite: null,
  createdAt: '',
  createdBy: null,
  ancestor: null,
  expiresAt: null,
  lastUsedAt: null,
};

/** Whether an operation also answers HEAD, for which Hono uses the route of GET. HEAD must not run a command. */
export function allowsHead({ method, isCommand = false }: Endpoint): boolean {
  return method === 'GET' && !isCommand;
}
