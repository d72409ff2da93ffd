/** The Runtime API of Lambda (2018-06-01) for one process: hands out events, and takes buffered or streamed answers. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

const PREFIX = '/2018-06-01/runtime/';
/** Of an event, and of a buffered answer. */
export const PAYLOAD_BYTES = 6 * 1024 * 1024;

/** An answer, from the moment at which its first bytes have come. */
export interface Answered {
  mode: 'buffered' | 'streaming';
  contentType: string;
  /** To be read to its end: the function is not asked anything else before. */
  body: AsyncIterable<Buffer>;
}

/** The function has thrown, or its process cannot answer. */
export class FunctionError extends Error {
  override name = 'FunctionError';
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export interface InitError {
  errorType: string;
  errorMessage: string;
  trace: string[];
}

export interface RuntimeApi extends AsyncDisposable {
  /** What the process is told in AWS_LAMBDA_RUNTIME_API. */
  readonly address: string;
  /** Resolves when the function has been loaded. Rejects with a `FunctionError` when it cannot be loaded. */
  readonly loaded: Promise<void>;
  /** @throws {FunctionError} */
  invoke(event: unknown, options: InvokeOptions): Promise<Answered>;
  /** Gives up whoever waits for an answer. */
  fail(error: Error): void;
}

export interface InvokeOptions {
  timeoutMs: number;
  /** Variables that have other values from now on. */
  environment?: Record<string, string>;
}

export interface RuntimeApiOptions {
  functionName: string;
  /** The process waits for an event, and has nothing else to do. Lambda may freeze it from here on. */
  onIdle(): void;
}

interface Invocation {
  id: string;
  event: string;
  deadline: number;
  environment: Record<string, string>;
  resolve(answered: Answered): void;
  reject(error: Error): void;
}

export async function startRuntimeApi({ functionName, onIdle }: RuntimeApiOptions): Promise<RuntimeApi> {
  const queue: Invocation[] = [];
  const underWay = new Map<string, Invocation>();
  /** The process's request for the next event, which is answered when there is one. */
  let asking: ServerResponse | null = null;
  let loaded: () => void = () => {};
  let notLoaded: (error: Error) => void = () => {};
  const loading = new Promise<void>((resolve, reject) => {
    loaded = resolve;
    notLoaded = reject;
  });
  loading.catch(() => {}); // Told to whoever waits for it.

  const server = createServer((request, response) => {
    const path = request.url?.startsWith(PREFIX) ? request.url.slice(PREFIX.length) : '';
    const [, id = '', what = ''] = /^invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (request.method === 'GET' && path === 'invocation/next') return next(response);
    if (request.method === 'POST' && path === 'init/error') return void initError(request, response);
    const invocation = underWay.get(id);
    if (request.method !== 'POST' || invocation === undefined) return void response.writeHead(404).end();
    const answer = what === 'error' ? invocationError : invocationResponse;
    answer(invocation, request, response).catch((error: Error) => {
      invocation.reject(error);
      response.destroy();
    });
  });
  // A frozen process keeps its connections for as long as it likes.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
  const port = await listenOnLoopback(server);
  const address = `127.0.0.1:${port}`;

  function next(response: ServerResponse): void {
    loaded();
    asking = response;
    response.once('close', () => {
      if (asking === response) asking = null;
    });
    if (queue.length === 0) onIdle();
    else handOut();
  }

  function handOut(): void {
    if (asking === null) return;
    const invocation = queue.shift();
    if (invocation === undefined) return;
    underWay.set(invocation.id, invocation);
    const { id, event, deadline, environment } = invocation;
    asking.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': id,
      'Lambda-Runtime-Deadline-Ms': String(deadline),
      'Lambda-Runtime-Invoked-Function-Arn': `arn:aws:lambda:eu-central-1:123456789012:function:${functionName}`,
      'Lambda-Runtime-Trace-Id': 'Root=1-69075f80-3e8b9e3f4a5f6b7c8d9e0f12;Parent=53995c3f42cd8ad8;Sampled=1',
      'lanreach-environment': JSON.stringify(environment),
    });
    asking.end(event);
    asking = null;
  }

  async function initError(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const said = JSON.parse((await readAll(request)).toString()) as InitError;
    response.writeHead(202).end();
    fail(new FunctionError(said.errorType, said.errorMessage));
  }

  async function invocationError({ id, reject }: Invocation, request: IncomingMessage, response: ServerResponse) {
    const { errorType, errorMessage } = JSON.parse((await readAll(request)).toString()) as InitError;
    underWay.delete(id);
    response.writeHead(202).end();
    reject(new FunctionError(errorType, errorMessage));
  }

  async function invocationResponse({ id, resolve }: Invocation, request: IncomingMessage, response: ServerResponse) {
    const contentType = request.headers['content-type'] ?? '';
    if (request.headers['lambda-runtime-function-response-mode'] === 'streaming') {
      resolve({ mode: 'streaming', contentType, body: readStream(request, () => end(id, response)) });
      return;
    }
    const body = await readAll(request);
    if (body.length > PAYLOAD_BYTES) {
      underWay.get(id)?.reject(new FunctionError('Function.ResponseSizeTooLarge', `${body.length} bytes`));
      underWay.delete(id);
      return void response.writeHead(413).end();
    }
    end(id, response);
    resolve({ mode: 'buffered', contentType, body: pieces(body) });
  }

  function end(id: string, response: ServerResponse): void {
    underWay.delete(id);
    response.writeHead(202).end();
  }

  function fail(error: Error): void {
    notLoaded(error);
    for (const invocation of [...queue.splice(0), ...underWay.values()]) invocation.reject(error);
    underWay.clear();
  }

  return {
    address,
    loaded: loading,
    fail,
    invoke(event, { timeoutMs, environment = {} }) {
      return new Promise((resolve, reject) => {
        const id = randomUUID();
        const timer = setTimeout(() => {
          reject(new FunctionError('Sandbox.Timedout', `Task timed out after ${timeoutMs / 1000} seconds`));
        }, timeoutMs);
        queue.push({
          id,
          event: JSON.stringify(event),
          deadline: Date.now() + timeoutMs,
          environment,
          resolve(answered) {
            clearTimeout(timer);
            resolve(answered);
          },
          reject(error) {
            clearTimeout(timer);
            reject(error);
          },
        });
        handOut();
      });
    },
    async [Symbol.asyncDispose]() {
      fail(new FunctionError('Runtime.ExitError', 'the function has been stopped'));
      await closeServer(server);
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* pieces(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

/** The pieces as they come; an error that the function has had meanwhile stands in the trailers. */
async function* readStream(request: IncomingMessage, onEnd: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of request) yield chunk;
  onEnd();
  const type = request.trailers['lambda-runtime-function-error-type'];
  if (type !== undefined) throw new FunctionError(type, 'the function failed while it answered');
}
