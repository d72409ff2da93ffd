/** Handles the changes that agents report. */
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
  /** The name of the agent that reports it. */
  agent: string;
  /** The agents of the site that are connected, by name, and since when (Unix, ms). */
  connected: ReadonlyMap<string, number>;
  now: Date;
  /** The checks of the site, with the agents that run them: this agent counts as connected. */
  checks(): Promise<readonly MadeCheck[]>;
}

/** The effect of a change on the state of a site, and its events. Repeated and unrequested changes have no effect. */
export type TakeChange<T extends Change['t']> = (
  state: SiteState,
  change: Extract<Change, { t: T }>,
  source: ChangeSource,
) => Observed | Promise<Observed>;
