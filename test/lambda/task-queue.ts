/** The queue of the worker, behind as much of the protocol of SQS as the SDK needs to put messages into it. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import * as z from 'zod';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { MessageQueue } from './queue.ts';

const Message = z.object({
  QueueUrl: z.url(),
  MessageBody: z.string(),
  MessageGroupId: z.string().regex(/^[!-~]{1,128}$/),
  DelaySeconds: z.int().min(0).max(900),
});

export interface TaskQueueServer extends AsyncDisposable {
  url: string;
  queue: MessageQueue;
  /** Lets time pass for the queue alone. */
  passTime(ms: number): void;
}

export async function startTaskQueue(): Promise<TaskQueueServer> {
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const queue = new MessageQueue({ name: 'LanReach-prod-Tasks', visibilityMs: 360_000, maxReceives: 5, now });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = Message.parse(JSON.parse(Buffer.concat(chunks).toString()));
    const { MessageBody, MessageGroupId, DelaySeconds } = message;
    queue.send(MessageBody, { delayMs: DelaySeconds * 1_000, groupId: MessageGroupId });
    const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ MessageId: 'message', MD5OfMessageBody }));
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    queue,
    passTime(ms) {
      ahead += ms;
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
