/** The devices of a site as the screen sees them, wherever they are filtered and sorted. */
import type { Device } from './device.ts';
import type { DeviceView } from './view.ts';

export interface DeviceSource {
  /** Those that fit the view, in order, as far as they are loaded. */
  rows: readonly Device[];
  /** How many fit the view. */
  total: number;
  hasMore: boolean;
  loadMore: () => void;
  /** Nothing is there yet. */
  isLoading: boolean;
  /** What is shown belongs to the view before this one. */
  isOutdated: boolean;
  /** Whether all devices of the site are loaded, so that a selected one that is not among the rows does not fit. */
  isWhole: boolean;
  error: Error | null;
  retry: () => void;
  /** A loaded device, in the view or not. */
  find: (key: string) => Device | undefined;
  /** The keys of all that fit a view, those that are not loaded included. */
  keysOf: (view: DeviceView) => Promise<string[]>;
}

/** What is asked for to have all devices of a site at once. */
export const WHOLE = { fields: 'all' } as const;
