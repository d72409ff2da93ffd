/** One HTTP request and its answer, each part of it with a deadline. */
import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { noAnswer } from './dynamodb-error.ts';

export interface Peer {
  url: URL;
  agent: Agent;
  /** How long a connection may take to be opened. */
  connectMs: number;
}

export interface Answer {
  status: number;
  /** The header Date; empty when there is none. */
  date: string;
  body: string;
}

/** From the moment when there is a connection until the last byte of the answer. */
const ANSWER_MS = 3_000;
/** DynamoDB answers with at most 16 MB of items, which take about a third more as base64, and more as escaped text. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Resolves with the complete answer.
 * @throws {DynamoDBError} when there is none in time; it is in doubt only if there was a connection
 */
export function post({ url, agent, connectMs }: Peer, headers: Record<string, string>, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const { port, pathname: path } = url;
    const host = url.hostname.replace(/^\[|\]$/g, ''); // An IPv6 address has brackets in a URL, and none here.
    const sent = request({ agent, method: 'POST', host, port, path, headers });

    let isConnected = false;
    let lastLook: NodeJS.Immediate | undefined;
    let timer = setTimeout(lookAgain, connectMs, `no connection within ${connectMs} ms`);
    function connected(): void {
      isConnected = true;
      stopTimer();
      timer = setTimeout(lookAgain, ANSWER_MS, `no answer within ${ANSWER_MS} ms`);
    }
    /** If this process was busy for long, what it waits for may be there and not read yet: that is done before `giveUp`. */
    function lookAgain(reason: string): void {
      lastLook = setImmediate(giveUp, reason);
    }
    function stopTimer(): void {
      clearTimeout(timer);
      clearImmediate(lastLook);
    }
    function giveUp(reason: string): void {
      sent.destroy(); // Reports no error as long as there is no connection.
      failed(new Error(reason));
    }
    function failed(error: Error): void {
      stopTimer();
      reject(noAnswer(error.message, { cause: error, isInDoubt: isConnected }));
    }

    sent.once('socket', (socket) => (socket.connecting ? socket.once('connect', connected) : connected()));
    sent.on('error', failed);
    sent.once('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BYTES) giveUp(`an answer of more than ${MAX_BYTES} bytes`);
        else chunks.push(chunk);
      });
      response.on('error', failed); // Also when the connection ends before the answer does.
      response.once('end', () => {
        stopTimer();
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, date: received.date ?? '', body: Buffer.concat(chunks).toString() });
      });
    });
    sent.end(body);
  });
}
