/** The order of the list, where there are no headings to choose it by. */
import type { DeviceSort } from '../../../shared/api/device-list.ts';
import { SelectField } from '../../ui/field.tsx';
import { parseSort } from './sort-devices.ts';
import { texts } from './texts.ts';

const OFFERED = [
  'name',
  'status',
  'ip',
  'type',
  'vendor',
  '-lastConnection',
  '-firstConnection',
] as const satisfies DeviceSort[];

export function SortSelect({ sort, onSort }: { sort: DeviceSort; onSort: (sort: DeviceSort) => void }) {
  const offered: readonly DeviceSort[] = (OFFERED as readonly DeviceSort[]).includes(sort)
    ? OFFERED
    : [...OFFERED, sort];
  return (
    <SelectField
      label={texts.sortBy}
      isLabelHidden
      value={sort}
      onChange={({ target }) => onSort(parseSort(target.value) ?? sort)}
    >
      {offered.map((one) => (
        <option key={one} value={one}>
          {texts.sorts(one)}
        </option>
      ))}
    </SelectField>
  );
}
