/**
 * `/agent/`: the agent packages, and the script that installs one. No part of the API. The signed texts need no token.
 * A package is not secret either, but each download is paid for: it needs a permit.
 */
import { Hono, type Context as HonoContext } from 'hono';
import { PERMIT_HEADER } from '../../shared/agent/proof.ts';
import { ServiceError } from '../../shared/errors.ts';
import { authenticate } from '../access/authenticate.ts';
import type { Env, Routes } from '../http/call.ts';
import type { Endpoint } from '../http/paths.ts';
import { redirect, reply } from '../http/reply.ts';
import { type PermitContext, requirePermit } from '../sites/agents/releases/permit.ts';
import type { ReleaseSource } from '../sites/agents/releases/release-source.ts';

const releaseEndpoints = {
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

export const releaseRoutes: Routes<PermitContext & { releases?: ReleaseSource }> = {
  operations: releaseEndpoints,
  bind(context) {
    const routes = new Hono<Env>();
    for (const [operation, { path }] of Object.entries(releaseEndpoints)) {
      const [fixed] = /[^/{}]+$/.exec(path) ?? [];
      routes.get(path.replace('{name}', ':name'), async (c) => {
        c.set('operation', operation);
        c.set('route', path);
        const name = fixed ?? c.req.param('name') ?? '';
        if (fixed === undefined) await requirePermitted(c, context, name);
        return send(c, context.releases, name);
      });
    }
    return routes;
  },
};

/** @throws {ServiceError} `unauthorized` without a permit or a token; `forbidden`, and what `requirePermit` throws, with a wrong one */
async function requirePermitted(c: HonoContext<Env>, context: PermitContext, name: string): Promise<void> {
  const permit = c.req.header(PERMIT_HEADER);
  if (permit !== undefined) return requirePermit(context, permit, name, c.env?.clientAddress || null);
  if (c.req.header('authorization') !== undefined) return void (await authenticate(c, context.tokens, 'any'));
  c.get('headers')['WWW-Authenticate'] = 'Bearer';
  throw new ServiceError('unauthorized', NO_PERMIT);
}

async function send(c: HonoContext<Env>, releases: ReleaseSource | undefined, name: string): Promise<Response> {
  const handed = (await releases?.open(name)) ?? null;
  if (handed === null) throw new ServiceError('not_found', (await releases?.current()) ? NO_SUCH_PACKAGE : NO_RELEASE);
  // Not cached: the content of a name changes with the release.
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
const NO_PERMIT = `A package is handed out with an enrolment code (header ${PERMIT_HEADER}), which "lanreach agent enrol" makes`;
const NO_SUCH_PACKAGE = 'There is no package of this name; /agent/release.json lists them';
