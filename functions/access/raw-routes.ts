/** Endpoints of other protocols, whose libraries get the request as it is. */
import { Hono } from 'hono';
import type { Env, InProcessNote, Routes } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';
import type { Endpoint } from '../http/paths.ts';
import { replyWith } from '../http/reply.ts';
import { findToken } from './authenticate.ts';
import type { FoundToken } from './token-store.ts';

export interface RawCall {
  /** The name of the endpoint. */
  endpoint: string;
  request: Request;
  requestId: string;
  /** Common headers of the response. */
  headers: Record<string, string>;
  /** Absent for a request that did not come over a network. */
  clientAddress: string | undefined;
  host: string | undefined;
  /**
   * The token of the request; null when it is missing or invalid. Counts the request against the token's limit.
   * @throws {ServiceError} `too_many_requests` when the token has no request left
   */
  findToken(): Promise<FoundToken | null>;
  /** Logs the operation that the request calls inside this process, and its outcome. */
  note: InProcessNote;
}

/** @param open called once per service; returns the handler of its requests */
export function rawRoutes<Used extends RequestContext>(
  endpoints: Readonly<Record<string, Endpoint>>,
  open: (context: Used) => (call: RawCall) => Promise<Response>,
): Routes<Used> {
  return {
    operations: endpoints,
    bind(context) {
      const answer = open(context);
      const routes = new Hono<Env>();
      for (const [name, { method, path }] of Object.entries(endpoints)) {
        routes.on(method, path, async (c) => {
          c.set('operation', name);
          c.set('route', path);
          const response = await answer({
            endpoint: name,
            request: c.req.raw,
            requestId: c.get('requestId'),
            headers: c.get('headers'),
            clientAddress: c.env?.clientAddress,
            host: c.env?.host,
            findToken: () => findToken(c, context.tokens),
            note({ operation, site, errorCode }) {
              c.set('tool', operation);
              c.set('site', site);
              c.set('errorCode', errorCode);
            },
          });
          return replyWith(c, response);
        });
      }
      return routes;
    },
  };
}
