/** What the service itself needs of the context of its handlers. */

import type { Log } from '../../shared/log.ts';
import type { SignInSettings } from '../access/people/settings.ts';
import type { TokenWatch } from '../access/token-watch.ts';
import type { Stores } from '../stores.ts';
import type { Counters } from './counters.ts';

/** What every request needs, also one that is answered without a look at the table. */
export interface ServiceContext {
  log: Log;
  settings: ServiceSettings;
  /** Absent in the cloud, where CloudWatch counts for all instances. */
  counters?: Counters;
}

/**
 * What every operation needs, whatever its handler does.
 * @typeParam Used the stores that the handlers of a subject use besides
 */
export type RequestContext<Used extends keyof Stores = never> = ServiceContext &
  Pick<Stores, 'audit' | 'sites' | 'tokens' | Used> & { tokenWatch: TokenWatch; now(): Date };

/** Which private addresses hooks may reach: none, those of the LAN, or also this host and overlay networks. */
export type AllowPrivate = boolean | 'lan';

export interface ServiceSettings {
  version: string;
  /** Origins whose pages may call the API from a browser; `*` for all. */
  corsOrigins: readonly string[];
  /** Requests that may be made with one token in a minute; null or absent for no limit. */
  tokenRequestsPerMinute?: number | null;
  /** How long a call may wait for a command, in seconds. Default: LONGEST_WAIT_S. */
  longestWaitS?: number;
  /** Which private addresses hooks may reach, also with http://. Default: none. */
  privateHooks?: AllowPrivate;
  /** How people sign in; absent where there is no identity provider. */
  signIn?: SignInSettings;
  /** The URL of the API as browsers open it. Default: that of each request. */
  publicUrl?: string;
  /** Names of this host under which assistants reach the service, besides those of the loopback interface. */
  hosts?: readonly string[];
  /**
   * Of so many refusals of requests that named no valid token, one is in the log. Default: 1, every one of them. The first of
   * each process is.
   */
  strangersLoggedIn?: number;
  /** Base URLs under which other hosts may reach the service, at the moment. Absent where it cannot know. */
  addresses?(): string[];
  /** When the data was restored from a backup: Unix, ms. Absent when it never was. */
  restoredAt?: number;
  /** How long an agent has to stay connected with another release before it counts as well, if not SETTLE_MS. */
  updateSettlesMs?: number;
  /** What must be ready besides the database and the broker; rejects while it is not. */
  isReady?(): Promise<void>;
}
