/** A function as Lambda runs it: the built file under the client of the Runtime API, in processes that are frozen between requests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '../../local/programs.ts';
import type { LambdaRuntime } from './runtime.ts';
import { type Answered, FunctionError, type InvokeOptions, startRuntimeApi } from './runtime-api.ts';

/** Lambda gives a function ten seconds to load. */
const LOAD_WITHIN_MS = 60_000;
const OUTPUT_LINES = 500;
/** Requests that one function answers at a time, each in an instance of its own. */
const MAX_INSTANCES = 6;

export interface FunctionOptions {
  runtime: LambdaRuntime;
  name: string;
  /** Folder with the built `index.mjs`. */
  folder: string;
  environment: Readonly<Record<string, string>>;
  /** How long one request may take. */
  timeoutMs: number;
}

/** One process: an execution environment. */
export interface Instance extends AsyncDisposable {
  /** Whether it waits for a request, frozen. */
  readonly isIdle: boolean;
  /** @throws {FunctionError} */
  invoke(event: unknown, options?: Partial<InvokeOptions>): Promise<Answered>;
  /** Lets it run for a while without a request, as Lambda may. */
  runIdle(ms: number): Promise<void>;
  /** Lines that it has printed. */
  output: string[];
}

/**
 * Starts a process and returns when the function has been loaded. From then on it runs only while it answers.
 * @throws {FunctionError} when the function cannot be loaded
 */
export async function startInstance(options: FunctionOptions): Promise<Instance> {
  const { runtime, name, folder, environment, timeoutMs } = options;
  let child: ChildProcess | null = null;
  let underWay = 0;
  const api = await startRuntimeApi({
    functionName: name,
    onIdle() {
      if (underWay === 0) child?.kill('SIGSTOP');
    },
  });
  const output: string[] = [];
  child = spawn(...ownedBy([runtime.node, '-r', runtime.preload, runtime.client, 'index.handler']), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...platformVariables(name, folder, api.address), ...environment },
  });
  const started = child;
  for (const stream of [started.stdout, started.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line);
      if (output.length > OUTPUT_LINES) output.shift();
    });
  }
  const gone = new Promise<void>((resolve) => {
    started.once('error', (error) => {
      api.fail(error);
      resolve();
    });
    started.once('exit', (code, signal) => {
      api.fail(new FunctionError('Runtime.ExitError', `the process ended with ${code ?? signal}: ${output.at(-1)}`));
      resolve();
    });
  });
  async function dispose(): Promise<void> {
    started.kill('SIGKILL'); // Ends a frozen process too.
    await gone;
    await api[Symbol.asyncDispose]();
  }
  const late = setTimeout(() => {
    api.fail(new FunctionError('Sandbox.Timedout', 'the function was not loaded in time'));
  }, LOAD_WITHIN_MS);
  try {
    await api.loaded;
    return {
      get isIdle() {
        return underWay === 0;
      },
      output,
      async runIdle(ms) {
        started.kill('SIGCONT');
        await sleep(ms);
        if (underWay === 0) started.kill('SIGSTOP');
      },
      async invoke(event, given = {}) {
        underWay++;
        started.kill('SIGCONT');
        try {
          const answered = await api.invoke(event, { timeoutMs, ...given });
          if (answered.mode === 'streaming') return { ...answered, body: until(answered.body, () => underWay--) };
          underWay--;
          return answered;
        } catch (error) {
          underWay--;
          throw error;
        }
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** The kernel ends the process when ours is killed, also while it is frozen. */
function ownedBy([program = '', ...args]: readonly string[]): [string, string[]] {
  const setpriv = findProgram('setpriv', process.env.PATH ?? '');
  return setpriv === null ? [program, args] : [setpriv, ['--pdeathsig', 'KILL', '--', program, ...args]];
}

async function* until(body: AsyncIterable<Buffer>, done: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } finally {
    done();
  }
}

/** What every function finds in its environment. */
function platformVariables(name: string, folder: string, api: string): Record<string, string> {
  return {
    AWS_LAMBDA_RUNTIME_API: api,
    _HANDLER: 'index.handler',
    LAMBDA_TASK_ROOT: folder,
    LAMBDA_RUNTIME_DIR: '/var/runtime',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/01/[$LATEST]f00dfeed',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_LEVEL: 'INFO',
    AWS_REGION: 'eu-central-1',
    AWS_DEFAULT_REGION: 'eu-central-1',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/usr/local/bin:/usr/bin:/bin:/opt/bin',
  };
}

/** The type of the error with which Lambda refuses a call. */
export const THROTTLED = 'TooManyRequestsException';

/** A function with as many instances as there are requests at a time. */
export interface DeployedFunction extends AsyncDisposable {
  /** @throws {FunctionError} */
  invoke(event: unknown, options?: Partial<InvokeOptions>): Promise<Answered>;
  instances: readonly Instance[];
  /** How many requests Lambda lets it answer at a time; it refuses more. 0 switches the function off. */
  concurrency: number;
}

/** What all functions of an account share. */
export interface Account {
  /** How many requests Lambda lets all functions together answer at a time. */
  concurrency: number;
  /** How many they answer now. */
  underWay: number;
}

export function deployFunction(options: FunctionOptions, account: Account): DeployedFunction {
  const instances: Instance[] = [];
  const starting = new Set<Promise<Instance>>();
  const busy = new Set<Instance>();

  async function start(): Promise<Instance> {
    const started = startInstance(options);
    starting.add(started);
    try {
      const instance = await started;
      instances.push(instance);
      return instance;
    } finally {
      starting.delete(started);
    }
  }

  return {
    instances,
    concurrency: MAX_INSTANCES,
    async invoke(event, given) {
      if (busy.size + starting.size >= this.concurrency || account.underWay >= account.concurrency) {
        throw new FunctionError(THROTTLED, 'as many requests as it may answer are under way');
      }
      account.underWay++;
      const idle = instances.find((one) => !busy.has(one) && one.isIdle);
      if (idle !== undefined) busy.add(idle);
      const instance =
        idle ??
        (await start().catch((error) => {
          account.underWay--;
          throw error;
        }));
      busy.add(instance);
      const isOver = () => {
        account.underWay--;
        busy.delete(instance);
      };
      try {
        const answered = await instance.invoke(event, given);
        return { ...answered, body: until(answered.body, isOver) };
      } catch (error) {
        isOver();
        instances.splice(instances.indexOf(instance), 1);
        await instance[Symbol.asyncDispose]();
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(starting);
      await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
    },
  };
}
