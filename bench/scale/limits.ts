/** What AWS allows, and what is assumed of LanReach, in the simulation of `docs/scale.md`. */
import { readSettings } from '../../cdk/settings.ts';
import { INGEST_SECONDS } from '../costs/prices.ts';

/** Default quotas of an account and region, most of which can be raised. */
export const QUOTAS = {
  /** Requests a second of all APIs together ("Amazon API Gateway quotas"). */
  gatewayRequests: 10_000,
  /** Concurrent executions of Lambda: of a new account, and of one whose quota was raised to the usual default. */
  executionsOfNewAccount: 10,
  executions: 1_000,
  /** Messages a second that clients may publish to IoT Core. */
  brokerMessages: 20_000,
  /** Certificates a second that IoT Core makes from requests. */
  certificates: 15,
  /** Units a second of one partition of DynamoDB ("Understanding DynamoDB warm throughput"). */
  partitionReads: 3_000,
  partitionWrites: 1_000,
} as const;

/** Requests a second of a deployment, unless it is told otherwise. */
export const STAGE_REQUESTS = readSettings({}).requestsPerSecond;

/** Messages in a batch of ingest, of different agents, which are handled at the same time. */
const BATCH = 10;
/**
 * What ingest reads from and writes to the partition of the list of sites, for the two messages that announce an agent:
 * its site's row for each of them, again after it was changed, and once for the settings that the agent is told.
 */
const LIST_READS_OF_TWO = 4;
const LIST_WRITES_OF_TWO = 1;

/** Messages a second of as many agents that ingest handles at most, whatever the number of its instances. */
export const INGEST_CEILING =
  2 * Math.min(QUOTAS.partitionReads / LIST_READS_OF_TWO, QUOTAS.partitionWrites / LIST_WRITES_OF_TWO);

/** Messages a second that so many instances of ingest handle. */
export function ingestRate(instances: number): number {
  return Math.min((instances * BATCH) / INGEST_SECONDS, INGEST_CEILING);
}
