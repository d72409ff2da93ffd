/** Checks that a request has a single Host header, which API Gateway does in the cloud. */
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { validationError } from '../functions/http/errors.ts';
import type { Env, Group } from '../functions/http/routes.ts';

/** Middleware for the groups of operations after it. */
export const oneHost: Group = {
  operations: {},
  routes: () =>
    new Hono<Env>().use(async (c, next) => {
      // RFC 9112 section 3.2. A proxy in front might have used the other one.
      const { incoming } = c.env as HttpBindings;
      const names = incoming.rawHeaders.filter((_, i) => i % 2 === 0);
      if (names.filter((name) => name.toLowerCase() === 'host').length > 1) {
        throw validationError([{ path: 'header.host', message: 'expected at most one value' }]);
      }
      await next();
    }),
};
