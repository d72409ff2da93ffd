/** The status of a device in words, and how far it can be believed. */
import type { Watch } from '../../shared/coverage.ts';
import type { DeviceStatus } from '../../shared/device-status.ts';
import { type Cell, muted, state, time } from '../client/text.ts';

interface Seen {
  status: DeviceStatus;
  watch: Watch;
}

/** What no agent watches is not monitored, with what was known last. That a device is archived, a person has said. */
export function stateCell({ status, watch }: Seen): Cell {
  if (watch.state === 'watched' || status === 'archived') return state(status);
  const since: Cell[] = watch.since === null ? [] : [' since ', time(watch.since)];
  return [muted('not monitored'), ...since, `, last known ${status}`];
}

/** Whether an agent sees it at this moment. */
export function isSeenNow({ status, watch }: Seen): boolean {
  return status === 'online' && watch.state === 'watched';
}
