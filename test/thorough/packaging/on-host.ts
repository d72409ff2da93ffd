/** What tests do on a host of `test-host.ts`, beside installing the agent there. */
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { PROJECT, type TestHost } from './test-host.ts';

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
