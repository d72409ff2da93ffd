/** What AWS allows, and what is assumed of LanReach, in the simulation of `docs/scale.md`. */
import { readSettings } from '../../cdk/settings.ts';
import { INGEST_SECONDS, INGEST_SECONDS_BESIDE } from '../costs/prices.ts';

/** Default quotas of an account and region, most of which can be raised. */
export const QUOTAS = {
  /** Requests a second of all APIs together ("Amazon API Gateway quotas"). */
  gatewayRequests: 10_000,
  /** Concurrent executions of Lambda: of a new account, and of one whose quota was raised to the usual default. */
  executionsOfNewAccount: 10,
  executions: 1_000,
  /** Messages a second that clients may publish to IoT Core. */
  brokerMessages: 20_000,
  /** Agents a second that connect: in large regions, and in the smallest. */
  connects: 500,
  connectsOfSmallRegion: 100,
  /** Certificates a second that IoT Core lets be made active, each one its own call. */
  certificates: 10,
  /** Units a second of one partition of DynamoDB ("Understanding DynamoDB warm throughput"). */
  partitionReads: 3_000,
  partitionWrites: 1_000,
} as const;

/** Requests a second of a deployment, unless it is told otherwise. */
export const STAGE_REQUESTS = readSettings({}).requestsPerSecond;

/** Messages in a batch of ingest, of different agents, which are handled at the same time. */
const BATCH = 10;
/** What ingest reads from and writes to the partition of the list of sites: for sightings, and for the two messages that announce an agent. */
export const LIST_UNITS = { readsOfSightings: 0.5, readsOfTwo: 4, writesOfTwo: 1 };

/** Messages a second that announce agents which ingest handles at most, whatever the number of its instances. */
const CEILING =
  2 * Math.min(QUOTAS.partitionReads / LIST_UNITS.readsOfTwo, QUOTAS.partitionWrites / LIST_UNITS.writesOfTwo);

/** Messages a second that so many instances of ingest handle. */
export function ingestRate(instances: number): number {
  const batchSeconds = INGEST_SECONDS + (BATCH - 1) * INGEST_SECONDS_BESIDE;
  return Math.min((instances * BATCH) / batchSeconds, CEILING);
}
