/** The gateway double, where it refuses or slows down as API Gateway and Lambda do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { DeployedFunction } from './function-process.ts';
import { startGateway } from './gateway.ts';

const PRELUDE = Buffer.from(`${JSON.stringify({ statusCode: 200, headers: {} })}${'\0'.repeat(8)}`);

/** A gateway before a function that streams these pieces. */
async function gatewayOf(pieces: () => AsyncGenerator<Buffer>, limits: Parameters<typeof startGateway>[3]) {
  async function* body() {
    yield PRELUDE;
    yield* pieces();
  }
  const invoke = async () => ({
    mode: 'streaming' as const,
    contentType: 'application/vnd.awslambda.http-integration-response',
    body: body(),
  });
  const integration = {
    function: { invoke } as unknown as DeployedFunction,
    mode: 'streamed',
    isCaught: false,
  } as const;
  const gateway = await startGateway('prod', [], () => integration, limits);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  return gateway;
}

const LIMITS = { idleMs: 60_000, fullSpeedBytes: 1_000, bytesPerSecond: 1_000_000 };

test('a stream that is silent for too long is cut off, and the function is read to its end', async () => {
  let isOver = false;
  const gateway = await gatewayOf(
    async function* () {
      yield Buffer.from('before');
      await sleep(500);
      yield Buffer.from('after');
      isOver = true;
    },
    { ...LIMITS, idleMs: 50 },
  );
  const response = await fetch(`${gateway.url}/devices`);
  await expect(response.text()).rejects.toThrow();
  await expect.poll(() => isOver).toBe(true);
});

test.each([
  ['a first part', 1, 1],
  ['all', 1_000_000_000, 4],
])(
  'a stream that is larger than what comes at full speed: %s of it is read at once',
  async (_, bytesPerSecond, read) => {
    let made = 0;
    const gateway = await gatewayOf(
      async function* () {
        for (; made < 4; made++) yield Buffer.alloc(50_000, made);
      },
      { ...LIMITS, bytesPerSecond },
    );
    const response = await fetch(`${gateway.url}/devices`);
    let received = 0;
    for await (const piece of response.body ?? []) {
      received += piece.length;
      if (received === read * 50_000) break;
    }
    // The piece that has been received counts as made when the next one is asked for.
    expect(made).toBe(read - 1);
  },
);
