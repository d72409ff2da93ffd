/** Adapts requests and responses to API Gateway. */
import { Hono } from 'hono';
import type { Env } from './routes.ts';

interface GatewayEnv {
  Bindings: { requestContext?: { path?: string; identity?: { sourceIp?: string } } };
}

/**
 * The service behind the gateway.
 *
 * The gateway removes its stage from the path (`/devices` for `/prod/devices`), which would break links such as
 * `Location`. The original path is in the request's context.
 *
 * The client's address is also taken from there. The header X-Forwarded-For is not believed, because the gateway only
 * appends to what the client has sent in it.
 *
 * A buffered response must be text: the gateway treats a compressed one as binary, and sends it on in base64 unless its
 * media type is listed. A streamed response is passed on unchanged.
 */
export function behindGateway(app: Hono<Env>, answers: 'streamed' | 'buffered'): Hono<GatewayEnv> {
  const outer = new Hono<GatewayEnv>();
  outer.all('*', (c) => {
    const url = new URL(c.req.url);
    url.pathname = c.env.requestContext?.path ?? url.pathname;
    const request = new Request(url, c.req.raw);
    if (answers === 'buffered') request.headers.delete('accept-encoding');
    const clientAddress = c.env.requestContext?.identity?.sourceIp;
    return app.fetch(request, clientAddress === undefined ? {} : { clientAddress });
  });
  return outer;
}
