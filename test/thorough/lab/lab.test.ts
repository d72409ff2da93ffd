import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { type LabProcess, labSupport, startLab } from '../../lab/lab.ts';

const unsupported = labSupport();
if (unsupported !== null) console.warn(`The lab is not tested: ${unsupported}`);

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

const textOfStdout = async (process: LabProcess) => (await textOf(process.stdout)).trim();

/** Processes, of the whole machine, whose command line holds a text. */
async function processesWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) =>
      (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(text) ? pid : '',
    ),
  );
  return found.filter((pid) => pid !== '');
}

describe.skipIf(unsupported !== null)('the lab', () => {
  test('runs processes on a host without an uplink, and tells how they ended', async () => {
    await using lab = await startLab();
    const network = await lab.run(['readlink', '/proc/self/ns/net']);
    expect(await textOfStdout(network)).not.toBe(await readlink('/proc/self/ns/net'));
    const elsewhere = await lab.run(['sh', '-c', 'pwd; echo $GREETING; exit 7'], {
      cwd: '/usr',
      env: { GREETING: 'hello' },
    });
    expect(await textOfStdout(elsewhere)).toBe('/usr\nhello');
    expect(await elsewhere.exited).toEqual({ code: 7, signal: null });
    const user = await lab.run(['sh', '-c', 'id -u; grep CapEff /proc/self/status'], { unprivileged: true });
    expect(await textOfStdout(user)).toMatch(/^1000\nCapEff:\s+0{16}$/);
  });

  test('signals reach the process itself', async () => {
    await using lab = await startLab();
    const patient = await lab.run([
      'sh',
      '-c',
      'trap "echo bye; exit 3" TERM; echo ready; while :; do sleep 0.05; done',
    ]);
    const lines = createInterface({ input: patient.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ready');
    await patient.kill();
    expect((await lines.next()).value).toBe('bye');
    expect(await patient.exited).toEqual({ code: 3, signal: null });
    const stubborn = await lab.run(['sleep', '60']);
    await stubborn.kill('SIGKILL');
    expect(await stubborn.exited).toMatchObject({ signal: 'SIGKILL' });
  });

  test('ports inside can be reached from outside', async () => {
    await using lab = await startLab();
    const info = new URL(lab.truth.INTERNET.info);
    const port = await lab.forward(Number(info.port), info.hostname);
    const response = await fetch(`http://127.0.0.1:${port}/good`);
    expect(await response.json()).toEqual(lab.truth.PUBLIC_INFO);
    const own = await lab.forward(8099);
    const script = `require('node:http').createServer((req, res) => req.pipe(res)).listen(8099, '127.0.0.1', () => console.log('up'))`;
    const echo = await lab.run([process.execPath, '-e', script]);
    await new Promise((resolve) => echo.stdout.once('data', resolve));
    const body = 'x'.repeat(1_000_000);
    const answers = await Promise.all(
      [1, 2, 3].map(async () => (await fetch(`http://127.0.0.1:${own}/`, { method: 'POST', body })).text()),
    );
    expect(answers.every((answer) => answer === body)).toBe(true);
    await expect(fetch(`http://127.0.0.1:${await lab.forward(1)}/`)).rejects.toThrow();
  });

  test('closing it leaves no process and no file', async () => {
    const lab = await startLab();
    await lab.run(['sh', '-c', `trap "" TERM; sleep 300 ${lab.folder}`]);
    expect((await processesWith(lab.folder)).length).toBeGreaterThan(1);
    await lab.close();
    expect(await processesWith(lab.folder)).toEqual([]);
    await expect(readdir(lab.folder)).rejects.toThrow();
  });

  test('it goes when the process that started it is killed', async () => {
    // Where esbuild is found, and where nothing looks for sources of ours meanwhile.
    const bundle = join(import.meta.dirname, '../../../node_modules', `.lab-owner-${process.pid}.mjs`);
    try {
      const contents = `import { startLab } from '../../lab/lab.ts';
        const lab = await startLab(); console.log(lab.folder); setInterval(() => {}, 1000);`;
      await build({
        stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
        outfile: bundle,
        bundle: true,
        platform: 'node',
        format: 'esm',
        external: ['esbuild'],
        // The lab bundles its own parts from beside its source.
        define: { 'import.meta.dirname': JSON.stringify(join(import.meta.dirname, '../../lab')) },
        logLevel: 'error',
      });
      const owner = spawn(process.execPath, [bundle], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [labFolder] = (await firstOutput(owner)).split('\n');
      expect((await processesWith(labFolder ?? '?')).length).toBeGreaterThan(1);
      owner.kill('SIGKILL');
      for (let i = 0; i < 3_000 && (await processesWith(labFolder ?? '?')).length > 0; i++) await sleep(20);
      expect(await processesWith(labFolder ?? '?')).toEqual([]);
      await expect(readdir(labFolder ?? '?')).rejects.toThrow();
    } finally {
      await rm(bundle, { force: true });
    }
  });
});

/** Throws when the process ends without a word. */
function firstOutput(owner: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  return new Promise((resolve, reject) => {
    owner.stdout.once('data', (text: Buffer) => resolve(text.toString()));
    owner.once('exit', (code) => reject(new Error(`the owner of the lab ended with ${code}`)));
  });
}
