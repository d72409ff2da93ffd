/** With the rights that compose.yaml gives, the entry becomes another user, and passes on one right alone. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../local/config.ts';
import { findProgram } from '../../local/programs.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PATH = readConfig().childEnvironment.PATH ?? '';
const canDrop = process.getuid?.() === 0 && findProgram('setpriv', PATH) !== null;
const NET_RAW = 1 << 13;

/** What the kernel says of a program that the entry starts, which makes a file that only its user can read. */
function start(data: string, rights: readonly string[]): Record<string, string> {
  const bounding = ['-all', ...rights.map((right) => `+${right.toLowerCase()}`)].join(',');
  const entry = ['sh', join(ROOT, 'scripts', 'packaging', 'container-entry.sh')];
  const program =
    'umask 077; mkdir -p "$LANREACH_DATA/own" && touch "$LANREACH_DATA/own/file" && cat /proc/self/status';
  const args = ['--no-new-privs', `--bounding-set=${bounding}`, '--inh-caps=-all', ...entry, 'sh', '-c', program];
  const status = execFileSync('setpriv', args, { env: { PATH, LANREACH_DATA: data }, encoding: 'utf8' });
  return Object.fromEntries(status.split('\n').map((line) => line.split(/:\s+/) as [string, string]));
}

test.skipIf(!canDrop)('at the first start, and again with a folder that only its user can read', async () => {
  await using folder = makeTestFolder();
  chmodSync(folder.path, 0o755);
  const data = join(folder.path, 'data');
  mkdirSync(data);
  const { cap_add: rights } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')).services.server;
  for (const turn of ['first', 'second']) {
    const status = start(data, rights);
    expect([turn, status.Uid?.split('\t'), status.NoNewPrivs]).toEqual([turn, Array(4).fill('10001'), '1']);
    const left = [status.CapEff, status.CapBnd, status.CapAmb].map((hex) => Number.parseInt(hex ?? '', 16));
    expect([turn, left]).toEqual([turn, [NET_RAW, NET_RAW, NET_RAW]]);
    expect(statSync(join(data, 'own')).uid).toBe(10001);
  }
});
