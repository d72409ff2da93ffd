/** What `install.sh` shows the service in the place of a code, on a host whose agent is enrolled. */
import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeIdentities } from '../../agent/identity/identity.ts';
import { packageText } from '../../shared/agent/proof.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';

const SCRIPT = join(import.meta.dirname, 'install.sh');
const NAME = 'lanreach-agent_1.2.3_amd64.deb';

const newKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** The output of the script's function `proof`. */
async function proofIn(folder: string): Promise<string> {
  const functions = (await readFile(SCRIPT, 'utf8')).replace(/^main "\$@"$/m, '').replace(/^STATE=.*$/m, '');
  const lines = `${functions}\nSTATE=$1 work=$2\nproof ${NAME}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', lines, 'sh', join(folder, 'state'), join(folder, 'work')]);
  return stdout;
}

test('a host with an agent proves itself by its present key, which is left nowhere; another host shows nothing', async () => {
  using temporary = makeTestFolder();
  const folder = temporary.path;
  for (const name of ['state', 'work']) await mkdir(join(folder, name), { mode: 0o700 });
  expect(await proofIn(folder)).toBe('');
  const other = { broker: 'mqtts://h:8883', certificate: 'x\n', authority: 'y\n', stage: 'local', api: 'http://h' };
  const [current, next] = [newKey(), newKey()].map((key) => ({ ...other, agent: 'home:attic-2', key }));
  await writeIdentities(join(folder, 'state'), { current: current!, next: next! });
  const [agent, at, signature = ''] = (await proofIn(folder)).split(' ');
  const text = Buffer.from(packageText('home:attic-2', Number(at), NAME));
  expect(verify('sha256', text, createPublicKey(current!.key), Buffer.from(signature, 'base64'))).toBe(true);
  expect([agent, Math.abs(Number(at) - Date.now()) < 60_000]).toEqual(['home:attic-2', true]);
  expect(await readdir(join(folder, 'work'))).toEqual([]);
});
