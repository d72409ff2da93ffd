/**
 * The agent, which kills itself at one step of its first renewal: `<program> <number>`. Steps are what it asks of the
 * API and what it does to the files of its identity, each with a moment before it and one after it.
 */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const [lastStep = ''] = process.argv.splice(2, 1);
const FILES = ['new-identity.json', 'key.pem', 'cert.pem', 'ca.pem', 'identity.json'];
let step = 0;
let hasBegun = false;

function maybeDie(): void {
  if (hasBegun && ++step === Number(lastStep)) process.kill(process.pid, 'SIGKILL');
}

async function counted<T>(act: () => Promise<T>): Promise<T> {
  maybeDie();
  const result = await act();
  maybeDie();
  return result;
}

const { fetch } = globalThis;
const { rename, rm } = fs;
globalThis.fetch = (input, init) => {
  hasBegun ||= String(input).endsWith('/enrol/renew');
  return counted(() => fetch(input, init));
};
fs.rename = (from, to) => (FILES.includes(basename(String(to))) ? counted(() => rename(from, to)) : rename(from, to));
fs.rm = (path, options) =>
  FILES.includes(basename(String(path))) ? counted(() => rm(path, options)) : rm(path, options);
syncBuiltinESMExports();
await import('../../agent/main.ts');
