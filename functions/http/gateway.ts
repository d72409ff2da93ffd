/** Adapts requests and responses to API Gateway. */
import { Hono } from 'hono';
import { given } from '../../shared/given.ts';
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
 * The service behind the gateway, with what the context of a request adds:
 * - the original path: the gateway removes its stage (`/devices` for `/prod/devices`), which would break links;
 * - the client's address: X-Forwarded-For is not trusted, because the gateway only appends to what the client has sent;
 * - the time of arrival: the start of a new instance may take seconds;
 * - the name under which the gateway was reached, which leads to no other service.
 */
export function behindGateway(app: Hono<Env>): Hono<GatewayEnv> {
  const outer = new Hono<GatewayEnv>();
  outer.all('*', (c) => {
    const url = new URL(c.req.url);
    url.pathname = c.env.requestContext?.path ?? url.pathname;
    const request = new Request(url, c.req.raw);
    const { identity, domainName: host, requestTimeEpoch: arrivedAt } = c.env.requestContext ?? {};
    return app.fetch(request, given({ clientAddress: identity?.sourceIp, host, arrivedAt }));
  });
  return outer;
}
