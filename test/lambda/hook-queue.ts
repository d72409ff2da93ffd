/** The queue of the hooks function: as much of SQS as the SDK needs to put messages into it. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { listenOnLoopback } from '../support/loopback.ts';

const Batch = z.object({
  Entries: z
    .array(
      z.object({
        Id: z.string(),
        MessageBody: z.string(),
        MessageGroupId: z.string().regex(/^[!-~]{1,128}$/),
        DelaySeconds: z.int().min(0).max(900),
      }),
    )
    .max(10),
});

export interface HookQueueServer extends AsyncDisposable {
  url: string;
  /** The messages that are waiting, which it then forgets: as the event by which Lambda hands them to the function. */
  take(): SQSEvent;
}

export async function startHookQueue(): Promise<HookQueueServer> {
  let waiting: z.infer<typeof Batch>['Entries'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { Entries } = Batch.parse(JSON.parse(Buffer.concat(chunks).toString()));
    waiting.push(...Entries);
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: `message-${Id}`,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ Successful, Failed: [] }));
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    take() {
      const Records = waiting.map(({ MessageBody, MessageGroupId }, i) => ({
        messageId: `m${i}`,
        body: MessageBody,
        attributes: { MessageGroupId },
        eventSource: 'aws:sqs',
      }));
      waiting = [];
      return { Records } as SQSEvent;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
