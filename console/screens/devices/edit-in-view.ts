/** How an edit depends on the view, and what it means for the view, also for selected devices that are not loaded. */
import type { Category } from '../../../shared/device.ts';
import type { Device, Edit } from './device.ts';
import type { DeviceView } from './view.ts';

/** The category that has exactly the devices with the flag, archived ones apart. */
const CATEGORY_OF = { devFavorite: 'favorites', devIsArchived: 'archived' } as const satisfies Record<string, Category>;

/** 0 when all devices have the flag, else 1. A device that is not loaded has it when the view shows only such devices. */
export function toggledFlag(
  keys: readonly string[],
  flag: keyof typeof CATEGORY_OF,
  find: (key: string) => Device | undefined,
  status: Category,
): 0 | 1 {
  const ofOthers = status === CATEGORY_OF[flag] ? 1 : 0;
  return keys.every((key) => (find(key)?.[flag] ?? ofOthers) === 1) ? 0 : 1;
}

/** Whether devices of the view do not fit it any more after the edit, or may not: a new name may not have the text. */
export function leavesView(set: Edit, { status, text, type, group }: DeviceView): boolean {
  return (
    (set.devIsArchived !== undefined && (set.devIsArchived === 1) !== (status === 'archived')) ||
    (set.devFavorite === 0 && status === 'favorites') ||
    (set.devIsNew === 0 && status === 'new') ||
    (set.devAlertDown === 0 && status === 'down') ||
    (set.devName !== undefined && text !== '') ||
    (set.devType !== undefined && type !== null && set.devType !== type) ||
    (set.devGroup !== undefined && group !== null && set.devGroup !== group)
  );
}
