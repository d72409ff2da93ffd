/** From a request to a handler and back: authenticate, read, call, respond. */
import { Hono, type Context as HonoContext } from 'hono';
import type { Operation, Operations } from '../../shared/api/operation.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { AuditedAbout, AuditedCall, Env, Handlers, Routes, SiteCall } from '../http/call.ts';
import type { Caller } from '../http/caller.ts';
import type { RequestContext } from '../http/context.ts';
import { streamError } from '../http/errors.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { linkToNextPage } from '../http/next-page.ts';
import { allowsHead, honoPath, isConcrete, refuseUnknownPath } from '../http/paths.ts';
import { mayBeLarge, readInput } from '../http/request.ts';
import { respond } from '../http/respond.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { LONGEST_WAIT_S } from '../http/wait-slots.ts';
import { idempotencyKeyOf, waitingOf } from '../http/waiting.ts';
import { authenticate, chooseSite } from './authenticate.ts';

/** Pairs operations with their handlers; an operation without a handler does not compile. */
export function routesOf<Ops extends Operations, Used extends RequestContext>(
  operations: Ops,
  handlers: Handlers<Ops, Used>,
): Routes<Used> {
  return {
    operations,
    bind(context) {
      const routes = new Hono<Env>();
      function add(name: keyof Ops & string): void {
        const operation: Operation = operations[name]!;
        // The types pair each operation with its handler; a loop over the names cannot express that.
        const handler = handlers[name] as unknown as AnyHandler<Used>;
        routes.on(operation.method, honoPath(operation.path), (c) => answer(context, c, name, operation, handler));
      }
      const names = Object.keys(operations) as (keyof Ops & string)[];
      const concrete = names.filter((name) => isConcrete(operations[name]!));
      for (const name of concrete) add(name);
      // `DELETE /devices/totals` must not match `DELETE /devices/{mac}`.
      for (const name of concrete) routes.all(operations[name]!.path, (c) => c.notFound());
      for (const name of names) if (!concrete.includes(name)) add(name);
      return routes;
    },
  };
}

/** All members of a call. A handler may use those that its operation declares: see `CallOf`. */
type WholeCall = SiteCall & AuditedCall;
type AnyHandler<Used> = (context: Used, call: WholeCall, input: Record<string, unknown>) => Promise<unknown>;

async function answer<Used extends RequestContext>(
  context: Used,
  c: HonoContext<Env>,
  name: string,
  operation: Operation,
  handler: AnyHandler<Used>,
): Promise<Response> {
  if (c.req.method === 'HEAD' && !allowsHead(operation)) return c.notFound(); // The response lists the allowed methods.
  if (operation.onlyKnownPaths) refuseUnknownPath(operation, c.req.path, c.req.param());
  c.set('operation', name);
  c.set('route', operation.path);
  const receivedAt = Date.now();
  const known = operation.scope === null ? null : await authenticate(c, context.tokens, operation.scope);
  // Its failure must not fail the request.
  const touched = known === null ? undefined : context.tokens.touch(known.found)?.catch(() => {});
  try {
    const caller = known?.caller ?? null;
    // Its handler then reads the sites in reach.
    const isOfSeveral =
      operation.query !== undefined && 'sites' in operation.query.shape && c.req.query('sites') !== undefined;
    const site =
      caller !== null && operation.perSite && !isOfSeveral
        ? await chooseSite(context.sites, caller, c.req.query('site') ?? c.req.header('x-site'))
        : null;
    if (site !== null) c.set('site', site);
    const run = async () => {
      const { input, upload } = await readInput(operation, c.req);
      // Non-null for the operations whose handlers may use them.
      const its = { ...(caller as Caller), site: site as SiteId, upload };
      return handler(context, callOf(context, c, operation, its, receivedAt), input);
    };
    const result = await (mayBeLarge(operation, c.req) ? largeBodies.run(run) : run());
    return await respondTo(context, c, operation, { result, caller, site });
  } finally {
    // Also after a failure: Lambda may freeze the function when it has responded, and pending work would run hours later or
    // never.
    await touched;
  }
}

function callOf(
  { audit, settings }: RequestContext,
  c: HonoContext<Env>,
  operation: Operation,
  known: Pick<SiteCall, keyof Caller | 'site' | 'upload'>,
  receivedAt: number,
): WholeCall {
  const requestId = c.get('requestId');
  const sourceAddress = c.env?.clientAddress || null;
  const waitLimit = {
    arrivedAt: Math.min(c.env?.arrivedAt ?? receivedAt, receivedAt),
    longestWaitS: settings.longestWaitS ?? LONGEST_WAIT_S,
  };
  return {
    ...known,
    requestId,
    sourceAddress,
    // Functions, because getters would give each object a hidden class of its own: garbage then outlives the young generation.
    waiting: () => waitingOf(c.req, waitLimit),
    waitLimit,
    gone: () => c.req.raw.signal,
    idempotencyKey: idempotencyKeyOf(c.req),
    lastEventId: c.req.header('last-event-id') ?? '',
    ifMatch: c.req.header('if-match') ?? null,
    ifNoneMatch: c.req.header('if-none-match') ?? null,
    prefix: c.get('prefix'),
    onJob: c.env?.onJob,
    async audit(detail, about: AuditedAbout = {}) {
      const actor = about.actor ?? known.token?.id;
      if (!operation.audit || actor === undefined) throw new Error('an entry without an action or an actor');
      const { site = known.site, person = known.person, changes } = about;
      const entry = { action: operation.audit, detail, requestId, sourceAddress, actor, person, site };
      await audit.record({ ...entry, ...(changes === undefined ? {} : { changes }) });
    },
  };
}

function respondTo(
  { log, tokenWatch }: RequestContext,
  c: HonoContext<Env>,
  operation: Operation,
  { result, caller, site }: { result: unknown; caller: Caller | null; site: SiteId | null },
): Response | Promise<Response> {
  const given =
    result instanceof HandlerResult ? result : new HandlerResult(result, { status: operation.status ?? 200 });
  const link = linkToNextPage(operation, c.req, { prefix: c.get('prefix'), site }, given.body);
  if (link !== null) c.get('headers').Link = link;
  return respond(c, given, {
    explain: (error) => streamError(error, c.get('requestId'), log),
    watch(end) {
      if (caller === null) return () => {};
      return tokenWatch.watch(caller.token.id, () => {
        end(new ServiceError('forbidden', 'The token of this request has been revoked or has expired'));
      });
    },
  });
}

/** Limits the large bodies in memory: those being received or handled. */
const largeBodies = openSemaphore({
  atOnce: 8,
  waiting: 24,
  refusal: 'The service is handling too many large request bodies; try again later',
});
