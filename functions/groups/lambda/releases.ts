/** The bucket with the agent release, for functions that may read it. */
import { type Config, readCredentials } from '../../config.ts';
import type { consoleLog } from '../../http/log.ts';
import { openReleaseBucket } from '../../sites/agents/releases/bucket-source.ts';
import type { ReleaseSource } from '../../sites/agents/releases/release-source.ts';

/** Reads on demand. */
export function releasesInLambda(
  { releasesBucket, region }: Pick<Config, 'releasesBucket' | 'region'>,
  log: typeof consoleLog,
): { releases?: ReleaseSource } {
  if (releasesBucket === null) return {};
  // By IPv4 and IPv6, like the API. In every partition of AWS, see https://docs.aws.amazon.com/general/latest/gr/s3.html.
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const bucket = { origin: `https://${releasesBucket}.s3.dualstack.${region}.${suffix}`, region };
  return { releases: openReleaseBucket(bucket, readCredentials, log) };
}
