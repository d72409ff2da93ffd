/** The status of a device in words, and how far it can be believed. */
import type { Watch } from '../../shared/coverage.ts';
import type { DeviceStatus } from '../../shared/device.ts';

interface Seen {
  status: DeviceStatus;
  watch: Watch;
}

/** What nobody watches is told as unknown, with what was known last. That a device is archived, a person has said. */
export function stateText({ status, watch: { state, since } }: Seen): string {
  if (state === 'watched' || status === 'archived') return status;
  if (state === 'never-watched') return `${status} as imported`;
  return `unknown${since === null ? '' : ` since ${since}`}, last known ${status}`;
}

/** Whether an agent sees it at this moment. */
export function isSeenNow({ status, watch }: Seen): boolean {
  return status === 'online' && watch.state === 'watched';
}
