/** How a site is, as a dot: what is wrong there, or that nobody watches it. */
import type { AnswerOf } from '../api/client.ts';
import { isWatched } from '../screens/sites/attention.ts';

export type SiteTone = 'bad' | 'warn' | 'calm' | 'good';

type Overview = Pick<
  AnswerOf<'GET /overview'>['sites'][number],
  'devices' | 'coverage' | 'outages' | 'internet' | 'checksDown' | 'staleSince' | 'darkSince'
>;

export function toneOf({
  devices,
  coverage,
  outages,
  internet,
  checksDown,
  staleSince,
  darkSince,
}: Overview): SiteTone {
  const isBad = (devices?.down ?? 0) > 0 || outages.open > 0 || internet.lostSince !== null || checksDown > 0;
  if (isBad) return 'bad';
  if (staleSince !== null || darkSince !== null) return 'warn';
  // That nothing is known to be wrong is good only where somebody looks.
  return isWatched({ coverage }) ? 'good' : 'calm';
}
