import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { isLock, STATE } from '../../../agent/state/layout.ts';
import { UpstreamLog } from '../../../agent/upstream/upstream-log.ts';

/** The names in a state directory, without those of its locks, which stay when a lock is released. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => !isLock(name)).sort();
}

/** The jobs whose results the upstream log of a state directory has, oldest first. */
export async function resultsIn(directory: string): Promise<string[]> {
  const upstream = await UpstreamLog.open(join(directory, STATE.upstream), pino({ level: 'silent' }));
  const ids = upstream.waiting('result').map(({ about }) => about);
  await upstream.close();
  return ids;
}
