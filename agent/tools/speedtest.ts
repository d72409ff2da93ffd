/** The speed of the site's internet connection. One test at a time: two at once would measure each other. */
import type { ToolData } from '../../shared/agent/results.ts';
import { complaintOf, stoppedEarly } from './ending.ts';
import {
  cloudflareServer,
  DEFAULT_TIMING,
  libreSpeedServers,
  measure,
  type SpeedServer,
  type SpeedtestProgress,
  type SpeedtestTiming,
} from './speedtest-engine.ts';
import { type RunTool, type ToolAnswer, type ToolContext, ToolFailure } from './tool.ts';

const PUBLIC_SERVER = 'https://speed.cloudflare.com';
const PROGRAM_TIMEOUT_MS = 40_000;

type Answer = ToolAnswer<'speedtest'>;

/** Somebody who waits for the test, and who is told what it finds out meanwhile. */
type Listener = Pick<ToolContext, 'onOutput' | 'onProgress'>;

interface RunningTest {
  result: Promise<Answer>;
  /** Lines so far, for those who come later. */
  printed: string;
  listeners: Set<Listener>;
  controller: AbortController;
}

export const speedtest: RunTool<'speedtest'> = createSpeedtest(DEFAULT_TIMING);

/** The tool with other durations. Whoever asks while a test of the same server runs gets that test's result. */
export function createSpeedtest(timing: SpeedtestTiming): RunTool<'speedtest'> {
  const running = new Map<string | null, RunningTest>();

  return async (_command, context) => {
    const { speedtestServer } = context.settings;
    let test = running.get(speedtestServer);
    if (test === undefined) {
      const started = startTest(timing, context);
      const forget = () => {
        if (running.get(speedtestServer) === started) running.delete(speedtestServer);
      };
      started.controller.signal.addEventListener('abort', forget);
      started.result.then(forget, forget);
      running.set(speedtestServer, started);
      test = started;
    }
    return await join(test, context);
  };
}

function startTest(timing: SpeedtestTiming, { run, settings }: ToolContext): RunningTest {
  const controller = new AbortController();
  const listeners = new Set<Listener>();
  const test: RunningTest = { printed: '', listeners, controller, result: new Promise(() => {}) };
  const print = (line: string) => {
    test.printed += line;
    for (const listener of listeners) listener.onOutput(line);
  };
  const progress: SpeedtestProgress = {
    onMeasured: (kind, value) => print(resultLine(kind, value)),
    onProgress: (phase, percent) => {
      for (const listener of listeners) listener.onProgress(phase, percent);
    },
  };
  // Started in the next turn, so that the first one to ask already listens.
  test.result = Promise.resolve().then(async () => {
    const { signal } = controller;
    try {
      const data = await measureOrFallBack(settings.speedtestServer, timing, progress, { run, signal });
      return { output: test.printed, truncated: false, data };
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      throw new ToolFailure(error.reason, error.message, { cause: error, output: test.printed });
    }
  });
  return test;
}

/** Waits for a test. Leaving it early leaves it running for the others; with the last one it ends. */
async function join(test: RunningTest, { signal, onOutput, onProgress }: ToolContext): Promise<Answer> {
  const listener: Listener = { onOutput, onProgress };
  if (test.printed !== '') onOutput(test.printed);
  test.listeners.add(listener);
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(new ToolFailure('cancelled', 'The speed test was cancelled', { output: test.printed }));
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  });
  try {
    return await Promise.race([test.result, left]);
  } finally {
    signal.removeEventListener('abort', leave);
    test.listeners.delete(listener);
    if (test.listeners.size === 0) test.controller.abort();
  }
}

async function measureOrFallBack(
  configured: string | null,
  timing: SpeedtestTiming,
  progress: SpeedtestProgress,
  { run, signal }: Pick<ToolContext, 'run' | 'signal'>,
): Promise<ToolData<'speedtest'>> {
  if (configured !== null) return await measureFirst(libreSpeedServers(configured), timing, progress, signal);
  let measured = false;
  const onMeasured: SpeedtestProgress['onMeasured'] = (kind, value) => {
    measured = true;
    progress.onMeasured(kind, value);
  };
  try {
    return await measureFirst([cloudflareServer(PUBLIC_SERVER)], timing, { ...progress, onMeasured }, signal);
  } catch (error) {
    // A test that broke off half way has shown numbers already; a second set of them would only confuse.
    if (measured || signal.aborted) throw error;
    const data = await runSpeedtestCli({ run, signal }).catch((second: unknown) => {
      throw second instanceof ToolFailure && second.reason === 'tool_missing' ? error : second;
    });
    progress.onMeasured('Ping', data.pingMs);
    progress.onMeasured('Download', data.downloadMbps);
    progress.onMeasured('Upload', data.uploadMbps);
    return data;
  }
}

/** Measures against the first server that answers at all. */
async function measureFirst(
  servers: SpeedServer[],
  timing: SpeedtestTiming,
  progress: SpeedtestProgress,
  signal: AbortSignal,
): Promise<ToolData<'speedtest'>> {
  let failure: unknown;
  for (const server of servers) {
    let answered = false;
    const onMeasured: SpeedtestProgress['onMeasured'] = (kind, value) => {
      answered = true;
      progress.onMeasured(kind, value);
    };
    try {
      return await measure(server, timing, { ...progress, onMeasured }, signal);
    } catch (error) {
      const described = describe(server, error);
      if (answered || described.reason !== 'tool_failed') throw described;
      failure ??= described;
    }
  }
  throw failure;
}

function describe({ name }: SpeedServer, error: unknown): ToolFailure {
  if (error instanceof ToolFailure && error.reason !== 'tool_failed') return error;
  const why = error instanceof Error ? error.message : String(error);
  return new ToolFailure('tool_failed', `The speed test with ${name} failed: ${why}`, { cause: error });
}

async function runSpeedtestCli({ run, signal }: Pick<ToolContext, 'run' | 'signal'>): Promise<ToolData<'speedtest'>> {
  const finished = await run('speedtest-cli', SPEEDTEST_CLI_ARGS, {
    timeoutMs: PROGRAM_TIMEOUT_MS,
    maxBytes: 20_000,
    signal,
  });
  const stopped = stoppedEarly('speedtest-cli', finished);
  if (stopped !== null) throw stopped;
  if (finished.code !== 0) {
    throw new ToolFailure('tool_failed', `speedtest-cli failed: ${complaintOf('speedtest-cli', finished)}`);
  }
  return parseSpeedtestCli(finished.stdout);
}

/** Without --secure its own servers turn it away. */
const SPEEDTEST_CLI_ARGS = ['--secure', '--simple'];

/** @throws {ToolFailure} `tool_failed` when one of the three numbers is missing */
export function parseSpeedtestCli(stdout: string): ToolData<'speedtest'> {
  const numberOf = (kind: string, unit: string) => {
    const [, digits] = new RegExp(`^${kind}: (\\d{1,7}(?:\\.\\d{1,6})?) ${unit}\\s*$`, 'm').exec(stdout) ?? [];
    if (digits === undefined) throw new ToolFailure('tool_failed', `speedtest-cli gave no ${kind}`, { output: stdout });
    return Number(digits);
  };
  return {
    server: 'speedtest.net',
    pingMs: numberOf('Ping', 'ms'),
    downloadMbps: numberOf('Download', 'Mbit/s'),
    uploadMbps: numberOf('Upload', 'Mbit/s'),
  };
}

export function resultLine(kind: 'Ping' | 'Download' | 'Upload', value: number): string {
  return `${kind}: ${value.toFixed(2)} ${kind === 'Ping' ? 'ms' : 'Mbit/s'}\n`;
}
