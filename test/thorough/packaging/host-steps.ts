/** What the tests of installed packages do on a host, and look at. */
import { expect } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import type { TestHost } from './test-host.ts';

/** Which packages are installed and what was done is for others to remember. */
const BOOKKEEPING =
  /^(?:changed|new|gone) \/var\/(?:lib\/dpkg\/(?!info\/lanreach)|log\/|cache\/man|lib\/systemd\/(?!deb-systemd))/;

/** Runs a program that must succeed. */
export async function passes(host: TestHost, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await host.run(...argv);
  expect(code, `${argv.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** The tests run at the same time, in which vitest's own `expect.poll` does not know its test. */
export async function becomes(wanted: string, look: () => Promise<string>, withinMs = 20_000): Promise<void> {
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
