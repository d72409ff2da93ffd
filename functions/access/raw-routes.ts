/** Endpoints whose requests and answers another protocol defines: its library gets the request as it is. */
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
  /** Headers that its answer bears, whatever that will be. */
  headers: Record<string, string>;
  /** The address of the client; absent for a request that did not come over a network. */
  clientAddress: string | undefined;
  host: string | undefined;
  /**
   * The token of the request; null when it is missing or invalid. Counts the request as one of the token.
   * @throws {ServiceError} `too_many_requests` when the token has no request left
   */
  findToken(): Promise<FoundToken | null>;
  /** Says in the log which operation the request calls inside this process, and what came of it. */
  note: InProcessNote;
}

/** @param open is called once for a service, and returns what answers its requests */
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
          const call: RawCall = {
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
          };
          return replyWith(c, await answer(call));
        });
      }
      return routes;
    },
  };
}
