/** The clock of this host against that of the API. */

import { CLOCK_SKEW_MS } from '../../shared/agent/timing.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';

const ANSWER_WITHIN_MS = 10_000;
/** The API tells the time in whole seconds. */
const RESOLUTION_MS = 1_000;

const WRONG_URL = 'Is this the URL of the API? If not: LANREACH_API=<URL>';

/** Any answer of the API will do: each bears the time at which it was made. */
export async function checkClock(apiUrl: string, now: () => number = Date.now): Promise<Finding> {
  const askedAt = now();
  let told: number;
  try {
    const response = await fetch(apiUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    told = Date.parse(response.headers.get('date') ?? '');
  } catch (error) {
    const message = `${apiUrl} cannot be asked for the time, nor to renew the certificate: ${reasonOf(error)}`;
    return warning('clock', message, WRONG_URL);
  }
  if (Number.isNaN(told)) return warning('clock', `${apiUrl} does not tell the time`, WRONG_URL);
  return judge(told, askedAt, now());
}

function judge(told: number, askedAt: number, answeredAt: number): Finding {
  // The truth lies between the two: what is beyond them on either side is certain.
  const ahead = Math.max(0, askedAt - told - RESOLUTION_MS);
  const behind = Math.max(0, told - answeredAt);
  const aside = ahead > 0 ? `${seconds(ahead)} s ahead of` : `${seconds(behind)} s behind`;
  if (ahead + behind > CLOCK_SKEW_MS) {
    const message = `this host is ${aside} the API; with more than ${seconds(CLOCK_SKEW_MS)} s every command is refused`;
    return problem('clock', message, 'sudo timedatectl set-ntp true');
  }
  if (ahead + behind > CLOCK_SKEW_MS / 2) {
    return warning('clock', `this host is ${aside} the API`, 'sudo timedatectl set-ntp true');
  }
  return ok('clock', 'agrees with that of the API');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(0);
}
