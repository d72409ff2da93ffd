/** The server under attack, in a namespace with loopback alone: every operation times every kind of hostile request. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../lambda/operations.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import { makeTestFolder, type TestFolder } from '../../support/test-folder.ts';
import { KINDS } from './attacks.ts';
import type { HostileEvent, Whole } from './hostile-main.ts';
import { KNOWN_ATTACKS } from './known-attacks.ts';
import { loopbackOnly, SEARCH_PATH } from './loopback-only.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'dist', 'local.js');
/** Of what is generated. The same seed gives the same requests. */
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const ATTACK_WITHIN_MS = 1_800_000;

const isolation = loopbackOnly();
// On a server of continuous integration nobody reads the reason: there the tests must fail and not be skipped.
const isSkipped = typeof isolation === 'string' && process.env.CI !== 'true';
if (isSkipped) console.warn(`The suite of hostile requests is skipped: ${isolation}`);

type Attacked = Extract<HostileEvent, { event: 'attacked' }>;

describe.skipIf(isSkipped)(`hostile requests (HOSTILE_SEED=${SEED})`, () => {
  const attacked = new Map<string, Attacked[]>();
  const known = new Map<string, string[]>();
  let whole: Whole;
  let temporary: TestFolder;
  let folder: string;

  beforeAll(async () => {
    if (typeof isolation === 'string') throw new Error(isolation);
    temporary = makeTestFolder();
    folder = temporary.path;
    const [main] = await Promise.all([
      bundleProgram(join(import.meta.dirname, 'hostile-main.ts'), folder),
      bundleProgram(join(import.meta.dirname, 'health-probe.ts'), folder),
    ]);
    writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
    const [command, ...args] = isolation(join(folder, 'resolv.conf'), [
      process.execPath,
      main,
      PROGRAM,
      folder,
      `${SEED}`,
    ]);
    const child = spawn(command, args, {
      env: { PATH: SEARCH_PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: ATTACK_WITHIN_MS,
      killSignal: 'SIGKILL',
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaint = (complaint + text).slice(-10_000);
    });
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      told += text;
    });
    const [code, signal] = await once(child, 'close');
    const events = told.split('\n').filter((line) => line !== '');
    const steps: string[] = [];
    for (const event of events.map((line): HostileEvent => JSON.parse(line))) {
      if (event.event === 'attacked') {
        attacked.set(event.operation, [...(attacked.get(event.operation) ?? []), event]);
      } else if (event.event === 'known attack') known.set(event.name, event.faults);
      else if (event.event === 'step') steps.push(`${event.name}: ${event.ms} ms, ${event.serverMb} MB`);
      else whole = event;
    }
    if (code !== 0) {
      throw new Error(`the attacker has ended with ${code ?? signal}, after:\n${steps.join('\n')}\n${complaint}`);
    }
    const { memory, probed } = whole;
    console.log(`${steps.join('\n')}
the server's memory: ${memory.beforeMb} MB, at most ${memory.mostMb} MB, in the end ${memory.afterMb} MB
/health: ${probed.requests} times, the longest wait ${probed.longestMs} ms`);
  }, ATTACK_WITHIN_MS + 30_000);
  afterAll(async () => {
    if (folder !== undefined) await temporary.remove();
  });

  test.each([...operations.keys()])('%s stands every kind of hostile request', (name) => {
    const results = attacked.get(name) ?? [];
    expect(results.map(({ kind }) => kind)).toEqual(Object.keys(KINDS));
    expect(results.flatMap(({ kind, faults }) => faults.map((fault) => `${name}, ${kind}, ${fault}`))).toEqual([]);
    // Of every kind something came back, or the server was not attacked at all.
    expect(results.filter(({ outcomes }) => Object.keys(outcomes).length === 0)).toEqual([]);
  });

  test.each(Object.keys(KNOWN_ATTACKS))('%s', (name) => {
    expect(known.get(name)).toEqual([]);
  });

  test('no operation answers 500, but for commands that have failed on the host of the agent', () => {
    const serverErrors = [...attacked.values()].flat().flatMap(({ outcomes }) => Object.keys(outcomes));
    const allowed = [
      '500 command_failed',
      '503 agent_offline',
      '503 agent_busy',
      '503 agent_silent',
      '503 busy',
      '503 unavailable',
    ];
    expect(
      [...new Set(serverErrors.filter((outcome) => outcome.startsWith('5')))].filter((one) => !allowed.includes(one)),
    ).toEqual([]);
  });

  test('/health was answered all the time', () => {
    expect(whole.probed).toMatchObject({ failures: [] });
    expect(whole.probed.requests).toBeGreaterThan(100);
  });

  test('server and agent are the processes that they were', () => {
    expect(whole.ended).toBeNull();
    expect(whole.children[1]).toEqual(whole.children[0]);
    expect(whole.children[0].length).toBeGreaterThan(0);
  });

  test('the memory of the server comes back under 350 MB', () => {
    expect(whole.memory.afterMb).toBeLessThan(350);
  });

  test('devices, agents and commands that nobody was to touch are what they were', () => {
    expect(whole.untouched[1]).toEqual(whole.untouched[0]);
  });

  test('no request that was hidden in another one was carried out', () => {
    expect(whole.smuggled).toBe(false);
  });

  test('the log tells of no defect, and gives no secret away', () => {
    expect(whole.complaints).toEqual([]);
    expect(whole.leaks).toEqual([]);
  });

  test('it ends when it is asked to', () => {
    expect(whole.stopped).toEqual({ code: 0, saidSo: true });
  });
});
