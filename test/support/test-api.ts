import { afterAll, beforeAll, vi } from 'vitest';
import { startObedientAgent } from './enrolled-agent.ts';
import { startTestApi, type TestApi, type TestApiOptions } from './in-process.ts';

interface FileOptions extends TestApiOptions {
  /** Where the clock is held, until a test sets it. Default: it goes. */
  now?: number;
  /** Whether an agent "main" of site home takes commands, and says of each that it has succeeded. */
  hasAgent?: boolean;
}

/** The API of a test file: it starts before the first test, and closes after the last one. */
export function testApi({ now, hasAgent = false, ...options }: FileOptions = {}): TestApi {
  const api = {} as TestApi;
  let agent: AsyncDisposable | undefined;
  beforeAll(async () => {
    if (now !== undefined) vi.useFakeTimers({ toFake: ['Date'], now });
    Object.assign(api, await startTestApi(options));
    if (hasAgent) agent = await startObedientAgent(api, 'home', 'main');
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await api.close();
    vi.useRealTimers();
  });
  return api;
}
