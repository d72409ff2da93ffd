/** The order of the list, where there are no headings to choose it by. */
import type { DeviceSort } from '../../../shared/api/device-list.ts';
import { SelectField } from '../../ui/field.tsx';
import { useScreen } from './screen.ts';
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

export function SortSelect() {
  const { view, changeView } = useScreen();
  const { sort } = view;
  const offered: readonly DeviceSort[] = (OFFERED as readonly DeviceSort[]).includes(sort)
    ? OFFERED
    : [...OFFERED, sort];
  return (
    <SelectField
      label={texts.sortBy}
      isLabelHidden
      value={sort}
      onChange={({ target }) => changeView({ sort: target.value as DeviceSort })}
    >
      {offered.map((one) => (
        <option key={one} value={one}>
          {texts.sorts(one)}
        </option>
      ))}
    </SelectField>
  );
}
