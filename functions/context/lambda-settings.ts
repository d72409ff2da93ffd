/** What the functions in Lambda take from their configuration for every request. */
import type { Config } from './config.ts';
import type { ServiceSettings } from './context.ts';

export function lambdaSettings({
  version,
  corsOrigins,
  tokenRequestsPerMinute,
  longestWaitS,
  apiHosts,
}: Pick<Config, 'version' | 'corsOrigins' | 'tokenRequestsPerMinute' | 'longestWaitS' | 'apiHosts'>): ServiceSettings {
  return { version, corsOrigins, tokenRequestsPerMinute, longestWaitS, hosts: apiHosts };
}
