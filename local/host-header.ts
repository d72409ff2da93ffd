/** What a server has to look at itself that no API Gateway stands in front of: that a request names one host. */
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { validationError } from '../functions/http/errors.ts';
import type { Env, Group } from '../functions/http/routes.ts';

/** Stands before the groups of operations that it holds for. */
export const oneHost: Group = {
  operations: {},
  routes: () =>
    new Hono<Env>().use(async (c, next) => {
      // RFC 9112 section 3.2. A proxy in front of us might have looked at the other one.
      const { incoming } = c.env as HttpBindings;
      const names = incoming.rawHeaders.filter((_, i) => i % 2 === 0);
      if (names.filter((name) => name.toLowerCase() === 'host').length > 1) {
        throw validationError([{ path: 'header.host', message: 'expected at most once' }]);
      }
      await next();
    }),
};
