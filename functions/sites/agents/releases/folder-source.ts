/** A release in a folder of this machine, as `npm run package` makes it. */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReleaseFile } from '../../../../shared/agent/release.ts';
import { nullIfMissing } from '../../../../shared/errno.ts';
import type { Log } from '../../../../shared/log.ts';
import type { ProvidedFile, ReleaseSource } from './release-source.ts';
import { openRelease } from './signed-release.ts';

const PIECE_BYTES = 64 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads on demand. The folder may be missing. */
export function openReleaseFolder(folder: string, log: Log): ReleaseSource {
  async function provide({ name, bytes }: ReleaseFile): Promise<ProvidedFile | null> {
    const path = join(folder, name);
    const size = await stat(path).catch(nullIfMissing);
    if (size?.size === bytes) return { body: streamOf(path, bytes), bytes };
    log.warn({ file: name }, 'a package of the agent is missing, or is not the one that was signed');
    return null;
  }
  // Every five seconds, so that a release built while the service runs is handed out soon.
  return openRelease((name, max) => readStart(join(folder, name), max), provide, 5_000, log);
}

/** Rejects for a file with more than `max` bytes: reading one byte more suffices to detect that. */
async function readStart(path: string, max: number): Promise<Bytes | null> {
  const handle = await open(path).catch(nullIfMissing);
  if (handle === null) return null;
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(max + 1), 0, max + 1, 0);
    if (bytesRead > max) throw new Error(`${path} has more than ${max} bytes`);
    return buffer.slice(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** No file is open between two pieces: stalled readers, who need no token, would exhaust the file descriptors. */
function streamOf(path: string, bytes: number): ReadableStream<Bytes> {
  let at = 0;
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const wanted = Math.min(PIECE_BYTES, bytes - at);
        await using handle = await open(path);
        const { buffer, bytesRead } = await handle.read(new Uint8Array(wanted), 0, wanted, at);
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was sent`);
        at += bytesRead;
        controller.enqueue(buffer.subarray(0, bytesRead));
        if (at === bytes) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
