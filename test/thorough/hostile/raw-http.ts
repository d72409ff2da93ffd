/** HTTP written by hand: it sends what no client library would, and reads whatever comes back. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Wire {
  /** What is written, one piece after the other. */
  pieces: readonly (string | Uint8Array)[];
  /** Between two pieces. */
  pauseMs?: number;
  /** After the last piece: `wait` for the server to close, `end` our side first, or `cut` by a reset. */
  ending?: 'wait' | 'end' | 'cut';
  /** Whether the request is HEAD, whose answer has no body. */
  isHead?: boolean;
  /** Address of the loopback network that the connection comes from. */
  from?: string;
}

export interface Answer {
  status: number;
  /** By their names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: string;
}

export interface Exchange {
  /** Those that came in full or in part, without the provisional ones (1xx). */
  answers: Answer[];
  /** `late`: the server had neither closed nor reset the connection at the deadline. */
  end: 'closed' | 'reset' | 'late';
}

const ANSWER_WITHIN_MS = 60_000;

export async function exchange(port: number, wire: Wire): Promise<Exchange> {
  const { pieces, pauseMs = 0, ending = 'wait', isHead = false, from } = wire;
  const chunks: Buffer[] = [];
  const address = from === undefined ? {} : { localAddress: from };
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, ...address });
  let end: Exchange['end'] = 'closed';
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {
    end = 'reset';
  });
  const deadline = setTimeout(() => {
    end = 'late';
    socket.destroy();
  }, ANSWER_WITHIN_MS);
  for (const [i, piece] of pieces.entries()) {
    if (i > 0 && pauseMs > 0) await sleep(pauseMs);
    if (socket.destroyed) break;
    await Promise.race([new Promise((resolve) => socket.write(piece, resolve)), over]);
  }
  if (ending === 'end') socket.end();
  if (ending === 'cut') socket.resetAndDestroy();
  await over;
  clearTimeout(deadline);
  return { answers: parseAnswers(Buffer.concat(chunks), isHead), end };
}

export type Header = readonly [name: string, value: string];

/** The head of a request, with the blank line behind it. */
export function headOf(method: string, path: string, headers: readonly Header[]): string {
  return `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** A body in chunks, as `Transfer-Encoding: chunked` wants them. */
export function inChunks(body: Buffer, size = 64 * 1024): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

function parseAnswers(bytes: Buffer, isHead: boolean): Answer[] {
  const answers: Answer[] = [];
  let at = 0;
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1) return answers;
    const [statusLine = '', ...lines] = bytes.subarray(at, headEnd).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0);
    const headers = new Map(lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.replace(/^[^:]*:\s*/, '')]));
    at = headEnd + 4;
    if (status >= 100 && status < 200) continue;
    if (isHead || status === 204 || status === 304) {
      answers.push({ status, headers, body: '' });
    } else if (headers.get('transfer-encoding') === 'chunked') {
      const [body, next] = readChunks(bytes, at);
      answers.push({ status, headers, body });
      at = next;
    } else {
      const next = Math.min(bytes.length, at + Number(headers.get('content-length') ?? bytes.length));
      answers.push({ status, headers, body: bytes.toString('utf8', at, next) });
      at = next;
    }
  }
}

/** A body in chunks, as far as it has come, and where the next answer begins. */
function readChunks(bytes: Buffer, start: number): [body: string, next: number] {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd === -1 ? 0 : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return [Buffer.concat(parts).toString('utf8'), lineEnd === -1 ? bytes.length : lineEnd + 4];
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
