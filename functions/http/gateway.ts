/** Between API Gateway and the service: what the gateway changes about a request is put right here. */
import { Hono } from 'hono';
import type { Env } from './routes.ts';

interface GatewayEnv {
  Bindings: { requestContext?: { path?: string } };
}

/**
 * The service as a function shows it to the gateway.
 *
 * The gateway leaves its stage out of the path (`/devices` for `/prod/devices`), so that a link such as `Location`
 * would lead nowhere; the path that the client asked for stands in the request's context.
 *
 * A buffered answer must be text: the gateway takes a compressed one for a file, and sends it on in base64 unless its
 * media type is listed. A streamed answer passes as it is.
 */
export function behindGateway(app: Hono<Env>, answers: 'streamed' | 'buffered'): Hono<GatewayEnv> {
  const outer = new Hono<GatewayEnv>();
  outer.all('*', (c) => {
    const url = new URL(c.req.url);
    url.pathname = c.env.requestContext?.path ?? url.pathname;
    const request = new Request(url, c.req.raw);
    if (answers === 'buffered') request.headers.delete('accept-encoding');
    return app.fetch(request);
  });
  return outer;
}
