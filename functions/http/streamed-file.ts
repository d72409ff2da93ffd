/** Files that are generated while they are sent, so that they are never whole in memory. */
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { StreamOptions } from './event-stream.ts';

export class StreamedFile {
  readonly contentType: string;
  readonly #pieces: () => AsyncGenerator<string | Uint8Array>;

  /** @param pieces generates the next piece only when the client has read the one before, and none when it is gone */
  constructor(pieces: () => AsyncGenerator<string | Uint8Array>, contentType: string) {
    this.contentType = contentType;
    this.#pieces = pieces;
  }

  /**
   * Starts the file. A failure before the first piece is thrown, and reported with its own status. A later one aborts the
   * transfer, because the status has been sent: a client must not mistake a part of the file for all of it.
   */
  async open(
    encoding: 'gzip' | 'identity',
    { explain, watch }: StreamOptions,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const pieces = this.#pieces();
    const first = await pieces.next();
    async function* explained(): AsyncGenerator<string | Uint8Array> {
      try {
        if (!first.done) yield first.value;
        yield* pieces;
      } catch (error) {
        explain(error); // This logs it.
        throw new Error('A file was broken off while it was sent');
      }
    }
    const source = Readable.from(explained(), { objectMode: false });
    const unwatch = watch((error) => source.destroy(error as Error));
    source.once('close', () => {
      unwatch();
      // A stream that is destroyed before its first read does not end its source.
      pieces.return(undefined).catch(() => {});
    });
    const encoded = encoding === 'gzip' ? pipeline(source, createGzip(), () => {}) : source;
    // The reader gets the error; before the first read there is no listener.
    for (const stream of [source, encoded]) stream.on('error', () => {});
    const chunks: AsyncIterator<Buffer<ArrayBuffer>> = encoded[Symbol.asyncIterator]();
    return new ReadableStream(
      {
        async pull(controller) {
          const { value, done } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          // Ending the iterator ends the streams only if something has been read.
          source.destroy();
          encoded.destroy();
          await chunks.return?.();
        },
      },
      // No read-ahead, so that a read of the server gets a failure, and the server aborts at once.
      { highWaterMark: 0 },
    );
  }
}
