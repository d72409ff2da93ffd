/** Adapts requests and responses to API Gateway. */
import { Hono } from 'hono';
import type { Env } from './call.ts';

interface GatewayEnv {
  Bindings: {
    requestContext?: {
      path?: string;
      domainName?: string;
      requestTimeEpoch?: number;
      identity?: { sourceIp?: string };
    };
  };
}

/**
 * The service behind the gateway.
 *
 * The gateway removes its stage from the path (`/devices` for `/prod/devices`), which would break links such as
 * `Location`. The original path is in the request's context.
 *
 * The client's address is also taken from there. The header X-Forwarded-For is not believed, because the gateway only
 * appends to what the client has sent in it. So is the time at which the request arrived: until a new instance has
 * started, seconds may pass. And so is the name under which the gateway was reached, which leads to no other service.
 */
export function behindGateway(app: Hono<Env>): Hono<GatewayEnv> {
  const outer = new Hono<GatewayEnv>();
  outer.all('*', (c) => {
    const url = new URL(c.req.url);
    url.pathname = c.env.requestContext?.path ?? url.pathname;
    const request = new Request(url, c.req.raw);
    const { identity, domainName: host, requestTimeEpoch: arrivedAt } = c.env.requestContext ?? {};
    const clientAddress = identity?.sourceIp;
    return app.fetch(request, {
      ...(clientAddress === undefined ? {} : { clientAddress }),
      ...(host === undefined ? {} : { host }),
      ...(arrivedAt === undefined ? {} : { arrivedAt }),
    });
  });
  return outer;
}
