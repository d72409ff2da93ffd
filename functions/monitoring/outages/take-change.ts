/** What becomes of a change that an agent tells of. */
import type { Change } from '../../../shared/agent/measurements.ts';
import type { SiteId } from '../../../shared/identity.ts';
import type { Stores } from '../../stores.ts';
import type { MadeCheck } from '../checks/check-makers.ts';
import type { Observed } from './observe.ts';
import type { SiteState } from './site-state.ts';

export type MonitoringStores = Pick<Stores, 'checks' | 'devices' | 'jobs' | 'schedules' | 'sites' | 'siteStates'>;

/** Where a change was observed. */
export interface ChangeSource {
  stores: MonitoringStores;
  site: SiteId;
  /** The name of the agent that tells of it. */
  agent: string;
  /** The agents of the site that are connected, by name, and since when (Unix, ms). */
  connected: ReadonlyMap<string, number>;
  now: Date;
  /** The checks of the site, with who makes them: this agent counts as connected. */
  checks(): Promise<readonly MadeCheck[]>;
}

/**
 * What a change makes of the state of a site, and what is told of it. A change that is told again, or that nobody asked for,
 * makes nothing of it.
 */
export type TakeChange<T extends Change['t']> = (
  state: SiteState,
  change: Extract<Change, { t: T }>,
  source: ChangeSource,
) => Observed | Promise<Observed>;
