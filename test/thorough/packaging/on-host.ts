/** What tests do on a host of `test-host.ts`, beside installing the agent there. */
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { ARCHITECTURE, buildPackages } from '../../support/packages.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { FOLDER, type Init, PROJECT, startTestHost, type TestHost, testHostSupport } from './test-host.ts';

export const TOKEN = 'a-token-for-this-test';
/** Which packages are installed and what was done is for others to remember. */
const BOOKKEEPING =
  /^(?:changed|new|gone) \/var\/(?:lib\/dpkg\/(?!info\/lanreach)|lib\/apt\/|lib\/PackageKit\/|log\/|cache\/|lib\/systemd\/(?!deb-systemd))/;

/** Runs a program that must succeed. */
export async function passes(host: TestHost, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await host.run(...argv);
  expect(code, `${argv.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** Reads what systemd says of a unit. */
export function unitOn(host: TestHost, unit: string) {
  return async (property: string, of = unit) =>
    (await passes(host, 'systemctl', 'show', `--property=${property}`, '--value', of)).trim();
}

export interface SystemOnHost {
  /** Node.js, and what stands before it, such as `ip netns exec`. */
  node?: readonly string[];
  environment?: readonly string[];
}

/** `npm start` on the host, which resolves once it runs. */
export async function startSystem(host: TestHost, { node, environment = [] }: SystemOnHost = {}): Promise<void> {
  const variables = ['LANREACH_DATA=/tmp/system', `API_TOKEN=${TOKEN}`, 'MQTT_PORT=0', 'LANREACH_INSTALL=no'];
  const program = `${PROJECT}/dist/local.js`;
  const [first = process.execPath, ...rest] = node ?? [];
  const system = host.start('env', ...variables, ...environment, first, ...rest, '--no-warnings', program);
  const said: string[] = [];
  for (const stream of [system.stdout, system.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => said.push(line));
  }
  await waitFor('the system', () => said.some((line) => line.includes('Ctrl-C'))).catch((error) => {
    throw new Error(`${error}\n${said.join('\n')}`);
  });
}

const ASK = `
  const [method, url, token, body] = process.argv.slice(1);
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json', 'x-site': 'cabin' };
  fetch(url, { method, headers, ...(body ? { body } : {}) }).then(async (answer) => {
    console.log(JSON.stringify({ status: answer.status, json: await answer.json() }));
  });
`;

/** Asks the API about the site `cabin`, from the host. */
export function openAsk(host: TestHost, url: string, node: string = process.execPath) {
  return async (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? [] : [JSON.stringify(body)];
    const answer = await passes(host, node, '-e', ASK, method, url + path, TOKEN, ...text);
    return JSON.parse(answer) as { status: number; json: Record<string, unknown> };
  };
}

/** The tests run at the same time, in which vitest's own `expect.poll` does not know its test. */
export async function becomes(wanted: string, look: () => Promise<string>, withinMs = 60_000): Promise<void> {
  let found = '';
  const isThere = async () => {
    found = await look();
    return found === wanted;
  };
  await waitFor(() => `"${wanted}", but it is "${found}"`, isThere, withinMs);
}

/** What differs from before, but for the bookkeeping of others. */
export async function left(host: TestHost, before: string[]): Promise<string[]> {
  const known = new Set(before);
  return (await host.changes()).filter((change) => !known.has(change) && !BOOKKEEPING.test(change));
}

/** Tests of the .deb of a program, each on a host of its own: one where systemd runs, and one where it does not. */
export function describeDeb(program: 'agent' | 'server', timeout: number) {
  const support = { systemd: testHostSupport('systemd'), none: testHostSupport('none') };
  for (const [init, why] of Object.entries(support))
    if (why !== null)
      console.warn(`The .deb of the ${program} is not installed on a test host (init: ${init}): ${why}`);
  const isSupported = Object.values(support).includes(null);
  const folder = makeTestFolder();
  let made: string | readonly string[] = 'no host to install it on';
  beforeAll(async () => {
    const only = ['--of', program, '--only', 'deb', '--architecture', ARCHITECTURE, '--compression', 'none'];
    if (isSupported) made = await buildPackages(folder.path, ...only);
  }, 300_000);
  afterAll(() => folder.remove());
  return (init: Init, title: string, act: (host: TestHost, deb: string) => Promise<void>) => {
    describe.skipIf(support[init] !== null)(`init: ${init}`, { timeout, concurrent: true }, () => {
      test(title, async (context: TestContext) => {
        if (typeof made === 'string') return context.skip(made);
        await using host = await startTestHost(init, folder.path);
        await act(host, join(FOLDER, basename(made[0] ?? '')));
      });
    });
  };
}

/** What the kernel holds a service of ours to: one right, a filter of system calls, and not root. */
export function expectHardened(status: string): void {
  expect(status).toMatch(/^CapBnd:\s*0*2000$/m);
  expect(status).toMatch(/^Seccomp:\s*2$/m);
  expect(status).not.toMatch(/^Uid:\s*0\b/m);
}
