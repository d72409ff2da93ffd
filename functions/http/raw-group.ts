/** Endpoints whose requests and answers another protocol defines: its library gets the request as it is. */
import { Hono } from 'hono';
import type { Context } from '../context/context.ts';
import type { Endpoint } from './paths.ts';
import type { Env, Group } from './routes.ts';

export interface RawCall {
  request: Request;
  requestId: string;
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
        routes.on(method, path, (c) => {
          c.set('operation', name);
          c.set('route', path);
          const authenticatedAs = (tokenId: string) => {
            c.set('tokenId', tokenId);
            c.get('requestLimit').count(tokenId, (header, value) => c.header(header, value));
          };
          return answer({ request: c.req.raw, requestId: c.get('requestId'), authenticatedAs });
        });
      }
      return routes;
    },
  };
}
