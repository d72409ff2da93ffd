/** What the functions in Lambda take from their configuration for every request. */
import type { Config } from '../context/config.ts';
import type { ServiceSettings } from '../context/context.ts';

/** Log lines are paid for, and anybody can cause them. The gateway's own log has a line for each of these requests. */
export const STRANGERS_LOGGED_IN = 20;

export function lambdaSettings({
  version,
  corsOrigins,
  tokenRequestsPerMinute,
  longestWaitS,
  apiHosts,
}: Pick<Config, 'version' | 'corsOrigins' | 'tokenRequestsPerMinute' | 'longestWaitS' | 'apiHosts'>): ServiceSettings {
  return {
    version,
    corsOrigins,
    tokenRequestsPerMinute,
    longestWaitS,
    hosts: apiHosts,
    strangersLoggedIn: STRANGERS_LOGGED_IN,
  };
}
