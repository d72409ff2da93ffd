/** How a site is, as a dot: what is wrong there, or that nobody watches it. */
import type { AnswerOf } from '../api/client.ts';

export type SiteTone = 'bad' | 'warn' | 'good';

type Overview = Pick<
  AnswerOf<'GET /overview'>['sites'][number],
  'devices' | 'outages' | 'internet' | 'checksDown' | 'staleSince' | 'darkSince'
>;

export function toneOf({ devices, outages, internet, checksDown, staleSince, darkSince }: Overview): SiteTone {
  const isBad = (devices?.down ?? 0) > 0 || outages.open > 0 || internet.lostSince !== null || checksDown > 0;
  return isBad ? 'bad' : staleSince !== null || darkSince !== null ? 'warn' : 'good';
}
