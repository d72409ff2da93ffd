/** A release in a folder of this machine, as `npm run package` makes it. */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReleaseFile } from '../../../../shared/agent/release.ts';
import { codeOf } from '../../../../shared/errno.ts';
import type { Log } from '../../../../shared/log.ts';
import type { Handed, ReleaseSource } from './release-source.ts';
import { openRelease } from './signed-release.ts';

/** A release that was made while the service runs is handed out soon. */
const LOOK_AGAIN_AFTER_MS = 5_000;
const PIECE_BYTES = 64 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads nothing before it is asked. The folder need not be there. */
export function openReleaseFolder(folder: string, log: Log): ReleaseSource {
  async function hand({ name, bytes }: ReleaseFile): Promise<Handed | null> {
    const path = join(folder, name);
    const size = await stat(path).catch(unlessMissing);
    if (size?.size === bytes) return { body: streamOf(path, bytes), bytes };
    log.warn({ file: name }, 'a package of the agent is missing, or is not the one that was signed');
    return null;
  }
  return openRelease((name, max) => readStart(join(folder, name), max), hand, LOOK_AGAIN_AFTER_MS, log);
}

/** A file with more than `max` bytes is none that belongs here; of it, one more is enough to tell. */
async function readStart(path: string, max: number): Promise<Bytes | null> {
  const handle = await open(path).catch(unlessMissing);
  if (handle === null) return null;
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(max + 1), 0, max + 1, 0);
    if (bytesRead > max) throw new Error(`${path} has more than ${max} bytes`);
    return buffer.slice(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Between two pieces no file is open: readers that take nothing, and need no token, would use up those of this process. */
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

function unlessMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}
