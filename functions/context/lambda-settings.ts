/** What the functions in Lambda take from their configuration for every request. */
import type { Config } from './config.ts';
import type { ServiceSettings } from './context.ts';

export function lambdaSettings({
  version,
  corsOrigins,
  tokenRequestsPerMinute,
  apiHosts,
}: Pick<Config, 'version' | 'corsOrigins' | 'tokenRequestsPerMinute' | 'apiHosts'>): ServiceSettings {
  return { version, corsOrigins, tokenRequestsPerMinute, hosts: apiHosts };
}
