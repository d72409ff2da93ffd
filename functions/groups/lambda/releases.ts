/** The bucket with the release of the agent, for functions that may read it. */

import { type Config, readCredentials } from '../../config.ts';
import type { consoleLog } from '../../http/log.ts';
import { openReleaseBucket } from '../../sites/agents/releases/bucket-source.ts';
import type { ReleaseSource } from '../../sites/agents/releases/release-source.ts';

/** Reads nothing before it is asked. */
export function releasesInLambda(
  { releasesBucket, region }: Pick<Config, 'releasesBucket' | 'region'>,
  log: typeof consoleLog,
): { releases?: ReleaseSource } {
  if (releasesBucket === null) return {};
  // By IPv4 and IPv6, as the API is reached. In every partition of AWS, as https://docs.aws.amazon.com/general/latest/gr/s3.html has them.
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const bucket = { origin: `https://${releasesBucket}.s3.dualstack.${region}.${suffix}`, region };
  return { releases: openReleaseBucket(bucket, readCredentials, log) };
}
