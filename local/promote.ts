/** `npm start -- promote`: makes the standby on this machine take over, or a superseded server count again. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { parseJson } from '../shared/json.ts';
import { hostInUrl } from '../shared/reachable-address.ts';
import { dialAddress } from './addresses.ts';
import type { LocalConfig } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { PROMOTE_PATH } from './standby.ts';
import { changeState, readState } from './state.ts';
import { readToken } from './take-over.ts';

const SERVES_WITHIN_MS = 120_000;
const ASK_EVERY_MS = 250;

const Answer = z.object({ error: z.string().optional(), copy: z.object({ madeAt: z.string() }).nullish() });
const Health = z.object({ status: z.string(), term: z.number().optional() });

/** @returns what has happened, for a person @throws {Error} for a person */
export async function promote(config: LocalConfig): Promise<string> {
  if (config.standbyOf === null) return countAgain(config.dataFolder);
  const token = await readToken(config.standbyOf.tokenFile);
  const url = `http://${hostInUrl(dialAddress(config.host))}:${config.port}`;
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url + PROMOTE_PATH, { method: 'POST', headers }).catch((error: Error) => {
    throw new Error(`No standby answers at ${url}; is it running, with the same PORT?`, { cause: error });
  });
  const answer = Answer.safeParse(parseJson(await response.text())).data;
  if (response.status === 404) throw new Error(`The server at ${url} is no standby: it serves already`);
  if (response.status !== 202) throw new Error(answer?.error ?? `${url} answers with status ${response.status}`);
  const term = await serves(url);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  return [
    `Promoted after ${seconds} s: this server serves now, as term ${term}.`,
    `Its data is that of ${answer?.copy?.madeAt}: what the first one has acknowledged since then is not here.`,
    'Its agents come by themselves. Callers have to be sent here: by the name in DNS, or by another URL.',
  ].join('\n');
}

/** @returns the term, when the server serves */
async function serves(url: string): Promise<number> {
  const giveUpAt = performance.now() + SERVES_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    const health = await fetch(`${url}/health`)
      .then((response) => response.json())
      .then((body) => Health.safeParse(body).data)
      .catch(() => undefined); // It changes from the one to the other.
    if (health?.status === 'ok' && health.term !== undefined) return health.term;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error('It was promoted, but does not serve yet; its log says why');
}

/** A server that was superseded gets a term that is greater than that of the one that has taken over. */
async function countAgain(dataFolder: string): Promise<string> {
  const data = await openDataFolder(dataFolder);
  try {
    const { term, supersededBy } = await readState(data);
    if (supersededBy === null || supersededBy <= term)
      throw new Error('There is nothing to promote: this server is neither a standby nor superseded');
    await changeState(data, { term: supersededBy + 1, supersededBy: null });
    return `Promoted: with its next start this server counts again, as term ${supersededBy + 1}. Stop the other one for good.`;
  } finally {
    data.release();
  }
}
