/** Endpoints whose requests and answers another protocol defines: its library gets the request as it is. */
import { Hono } from 'hono';
import type { Context } from '../context/context.ts';
import type { Endpoint } from './paths.ts';
import { replyWith } from './reply.ts';
import type { Env, Group } from './routes.ts';

export interface RawCall {
  request: Request;
  requestId: string;
  /** The address of the client; absent for a request that did not come over a network. */
  clientAddress: string | undefined;
  /**
   * Says whose token it is, for the log, and counts the request as one of it.
   * @throws {ServiceError} `too_many_requests` when the token has none left
   */
  authenticatedAs(tokenId: string): void;
}

/** @param open is called once for a service, and returns what answers its requests */
export function rawGroup(
  endpoints: Readonly<Record<string, Endpoint>>,
  open: (context: Context) => (call: RawCall) => Promise<Response>,
): Group {
  return {
    operations: endpoints,
    routes(context) {
      const answer = open(context);
      const routes = new Hono<Env>();
      for (const [name, { method, path }] of Object.entries(endpoints)) {
        routes.on(method, path, async (c) => {
          c.set('operation', name);
          c.set('route', path);
          const authenticatedAs = (tokenId: string) => {
            c.set('tokenId', tokenId);
            c.get('requestLimit').count(tokenId, c.get('headers'));
          };
          const { clientAddress } = c.env ?? {};
          const requestId = c.get('requestId');
          return replyWith(c, await answer({ request: c.req.raw, requestId, clientAddress, authenticatedAs }));
        });
      }
      return routes;
    },
  };
}
