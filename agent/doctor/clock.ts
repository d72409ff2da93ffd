/** Compares the clock of this host with the clock of the API. */
import { CLOCK_SKEW_MS } from '../../shared/agent/timing.ts';
import { reasonOf } from '../host/fetched.ts';
import { ANSWER_WITHIN_MS, type Finding, ok, problem, warning } from './finding.ts';

const WRONG_URL = 'Is this the URL of the API? If not: LANREACH_API=<URL>';

/** Any response of the API will do, because each has a `Date` header. */
export async function checkClock(apiUrl: string, now: () => number = Date.now): Promise<Finding> {
  const sentAt = now();
  let apiTime: number;
  try {
    const response = await fetch(apiUrl, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    apiTime = Date.parse(response.headers.get('date') ?? '');
  } catch (error) {
    const message = `${apiUrl} cannot be reached, neither for its time nor to renew the certificate: ${reasonOf(error)}`;
    return warning('clock', message, WRONG_URL);
  }
  if (Number.isNaN(apiTime)) return warning('clock', `${apiUrl} sends no Date header with its time`, WRONG_URL);
  // The API read its clock between request and response: only a difference beyond that interval is certain. `Date` has
  // whole seconds.
  const ahead = Math.max(0, sentAt - apiTime - 1_000);
  const behind = Math.max(0, apiTime - now());
  const aside = ahead > 0 ? `${seconds(ahead)} s ahead of` : `${seconds(behind)} s behind`;
  if (ahead + behind > CLOCK_SKEW_MS) {
    const message = `the clock of this host is ${aside} that of the API; with more than ${seconds(CLOCK_SKEW_MS)} s every command is refused`;
    return problem('clock', message, 'sudo timedatectl set-ntp true');
  }
  if (ahead + behind > CLOCK_SKEW_MS / 2) {
    return warning('clock', `the clock of this host is ${aside} that of the API`, 'sudo timedatectl set-ntp true');
  }
  return ok('clock', 'agrees with that of the API');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(0);
}
