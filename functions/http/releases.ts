/**
 * `/agent/`: the packages of the agent, and the script that installs one. No part of the API, and without a token: who has
 * the line with an enrolment code has no token, and there is nothing secret in a package.
 */
import { Hono, type Context as HonoContext } from 'hono';
import { ServiceError } from '../../shared/errors.ts';
import type { ReleaseSource } from '../agents/releases/release-source.ts';
import type { Env, Routes } from './call.ts';
import type { Endpoint } from './paths.ts';
import { redirect, reply } from './reply.ts';

export const releaseEndpoints = {
  installScript: { method: 'GET', path: '/agent/install.sh' },
  release: { method: 'GET', path: '/agent/release.json' },
  releaseSignature: { method: 'GET', path: '/agent/release.json.sig' },
  releaseKey: { method: 'GET', path: '/agent/release-key.pem' },
  agentPackage: { method: 'GET', path: '/agent/packages/{name}' },
} as const satisfies Record<string, Endpoint>;

const TYPES: Readonly<Record<string, string>> = {
  'install.sh': 'text/x-shellscript; charset=utf-8',
  'release.json': 'application/json',
  'release.json.sig': 'text/plain; charset=utf-8',
  'release-key.pem': 'application/x-pem-file',
};

export const releaseRoutes: Routes<{ releases?: ReleaseSource }> = {
  operations: releaseEndpoints,
  bind({ releases }) {
    const routes = new Hono<Env>();
    for (const [operation, { path }] of Object.entries(releaseEndpoints)) {
      const [fixed] = /[^/{}]+$/.exec(path) ?? [];
      routes.get(path.replace('{name}', ':name'), async (c) => {
        c.set('operation', operation);
        c.set('route', path);
        return hand(c, releases, fixed ?? c.req.param('name') ?? '');
      });
    }
    return routes;
  },
};

async function hand(c: HonoContext<Env>, releases: ReleaseSource | undefined, name: string): Promise<Response> {
  const handed = (await releases?.open(name)) ?? null;
  if (handed === null) throw new ServiceError('not_found', (await releases?.current()) ? NO_SUCH_PACKAGE : NO_RELEASE);
  // Not kept by anybody: what a name stands for changes with the release.
  const headers = { 'Cache-Control': 'no-store' };
  if ('url' in handed) return redirect(c, handed.url, 302, headers);
  return reply(c, c.req.method === 'HEAD' ? null : handed.body, 200, {
    'Content-Type': TYPES[name] ?? 'application/octet-stream',
    'Content-Length': String(handed.bytes),
    ...headers,
  });
}

const NO_RELEASE =
  'This service hands out no agent. Where it runs, "npm run package" makes the packages; DEPLOY.md says how they get into the cloud';
const NO_SUCH_PACKAGE = 'There is no package of this name; /agent/release.json lists them';
