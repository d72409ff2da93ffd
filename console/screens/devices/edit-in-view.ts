/** How an edit and the view affect each other, also for selected devices that are not loaded. */
import type { Category } from '../../../shared/device.ts';
import type { Device, Edit } from './device.ts';
import type { DeviceView, Tab } from './view.ts';

/** The category of exactly the devices with the flag, apart from archived ones. */
const CATEGORY_OF = { devFavorite: 'favorites', devIsArchived: 'archived' } as const satisfies Record<string, Category>;

/** 0 when all devices have the flag, else 1. A device that is not loaded counts as having it if all of the view do. */
export function toggledFlag(
  keys: readonly string[],
  flag: keyof typeof CATEGORY_OF,
  find: (key: string) => Device | undefined,
  status: Tab,
): 0 | 1 {
  const ofOthers = status === CATEGORY_OF[flag] ? 1 : 0;
  return keys.every((key) => (find(key)?.[flag] ?? ofOthers) === 1) ? 0 : 1;
}

/** Whether edited devices leave the view, or may: a new name may not contain the text. */
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
