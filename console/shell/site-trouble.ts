/** The state of a site as a dot: a problem, unmonitored, or all well. */
import type { AnswerOf } from '../api/client.ts';
import { isWatched } from '../screens/sites/attention.ts';

export type SiteTone = 'bad' | 'warn' | 'calm' | 'good';

type Overview = Pick<
  AnswerOf<'GET /overview'>['sites'][number],
  'devices' | 'coverage' | 'outages' | 'internet' | 'checksDown' | 'staleSince' | 'darkSince'
>;

export function toneOf(site: Overview): SiteTone {
  const { devices, outages, internet, checksDown, staleSince, darkSince } = site;
  if ((devices?.down ?? 0) > 0 || outages.open > 0 || internet.lostSince !== null || checksDown > 0) return 'bad';
  if (staleSince !== null || darkSince !== null) return 'warn';
  // Without an agent, no known problem does not mean that all is well.
  return isWatched(site) ? 'good' : 'calm';
}
