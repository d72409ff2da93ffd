/** Asks for `/health` over a connection of its own, all the time, in a thread that nothing else holds up. */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

export interface Probed {
  requests: number;
  longestMs: number;
  /** What was wrong with an answer: the first twenty. */
  failures: string[];
}

/** Far above what anybody waits here: a stuck server is found, a busy machine is not. */
const ANSWER_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 20;
/** Once nothing happens any more: V8 gives memory back when a program allocates little. */
const ASK_IN_CALM_EVERY_MS = 1_000;

const { url } = workerData as { url: string };
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const probed: Probed = { requests: 0, longestMs: 0, failures: [] };
let everyMs = ASK_EVERY_MS;
let isOver = false;
parentPort?.on('message', (phase: 'calm' | 'over') => {
  everyMs = ASK_IN_CALM_EVERY_MS;
  isOver = phase === 'over';
});

function ask(): Promise<string | null> {
  return new Promise((resolve) => {
    const sent = get(`${url}/health`, { agent, timeout: ANSWER_WITHIN_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.once('end', () => {
        const isFine = response.statusCode === 200 && text.startsWith('{"status":"ok"');
        resolve(isFine ? null : `${response.statusCode} ${text}`);
      });
      response.once('error', (error) => resolve(error.message));
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)));
    sent.once('error', (error) => resolve(error.message));
  });
}

while (!isOver) {
  const startedAt = performance.now();
  const failure = await ask();
  probed.requests++;
  probed.longestMs = Math.max(probed.longestMs, Math.round(performance.now() - startedAt));
  if (failure !== null && probed.failures.length < 20) probed.failures.push(failure);
  await sleep(everyMs);
}
agent.destroy();
parentPort?.postMessage(probed);
parentPort?.close();
