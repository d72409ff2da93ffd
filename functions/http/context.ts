/** The contexts of requests, and the settings of the service. */
import type { Log } from '../../shared/log.ts';
import type { SignInSettings } from '../access/people/settings.ts';
import type { TokenWatch } from '../access/token-watch.ts';
import type { Stores } from '../stores.ts';
import type { Counters } from './counters.ts';

/** For every request, also one that does not read the table. */
export interface ServiceContext {
  log: Log;
  settings: ServiceSettings;
  /** Absent in the cloud, where CloudWatch counts for all instances. */
  counters?: Counters;
}

/** For every operation. @typeParam Used the additional stores of its handlers */
export type RequestContext<Used extends keyof Stores = never> = ServiceContext &
  Pick<Stores, 'audit' | 'sites' | 'tokens' | Used> & { tokenWatch: TokenWatch; now(): Date };

/** Which private addresses hooks may reach: none, those of the LAN, or also this host and overlay networks. */
export type AllowPrivate = boolean | 'lan';

export interface ServiceSettings {
  version: string;
  /** Origins whose pages may call the API from a browser; `*` for all. */
  corsOrigins: readonly string[];
  /** Requests per minute and token; null or absent for no limit. */
  tokenRequestsPerMinute?: number | null;
  /** How long a call may wait for a command, in seconds. Default: LONGEST_WAIT_S. */
  longestWaitS?: number;
  /** Which private addresses hooks may reach, also with http://. Default: none. */
  privateHooks?: AllowPrivate;
  /** Absent where there is no identity provider. */
  signIn?: SignInSettings;
  /** The URL of the API as browsers open it. Default: that of each request. */
  publicUrl?: string;
  /** Names of this host under which assistants reach the service, besides those of the loopback interface. */
  hosts?: readonly string[];
  /** Logs only one in this many rejected requests without a valid token, starting with the first. Default: 1, all of them. */
  rejectionSampling?: number;
  /** Base URLs under which other hosts may reach the service now. Absent where the service cannot know. */
  addresses?(): string[];
  /** When the data was restored from a backup (Unix, ms), if it was. */
  restoredAt?: number;
  /** How long an agent must stay connected with a new release before it counts as healthy. Default: SETTLE_MS. */
  updateSettlesMs?: number;
  /** Rejects while something besides the database and the broker is not ready. */
  isReady?(): Promise<void>;
}
