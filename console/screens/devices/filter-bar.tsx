/** By what the devices are filtered: the tabs of the status with their numbers, a text, and the values in use. */
import { Search, X } from 'lucide-react';
import { useRef } from 'react';
import type { Facet } from '../../../shared/api/device-list.ts';
import { useAnswer } from '../../api/queries.ts';
import { numberText } from '../../text/format.ts';
import { watchTexts } from '../../text/texts.ts';
import { IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useShortcut } from '../../ui/keys.ts';
import tabStyles from '../../ui/tabs.module.css';
import styles from './filter-bar.module.css';
import { useScreen } from './screen.ts';
import { texts } from './texts.ts';
import type { ViewState } from './use-view.ts';
import { isFiltered, MAX_TEXT, NO_FILTER, TABS } from './view.ts';

export function FilterBar({ typed, type }: Pick<ViewState, 'typed' | 'type'>) {
  const { site, view, changeView: change } = useScreen();
  const facets = useAnswer('GET /devices/facets', { site });
  const search = useRef<HTMLInputElement>(null);
  useShortcut('/', texts.keys.search, () => search.current?.focus());
  return (
    <search className={styles.bar}>
      <StatusTabs unknown={facets.data?.unknown ?? 0} />
      <div className={styles.fields}>
        <div className={styles.text}>
          <Search aria-hidden="true" />
          <TextField
            ref={search}
            label={texts.search}
            isLabelHidden
            type="search"
            placeholder={texts.searchHint}
            maxLength={MAX_TEXT}
            value={typed}
            onChange={({ target }) => type(target.value)}
          />
        </div>
        {(['type', 'group', 'vendor'] as const).map((name) => (
          <FacetSelect
            key={name}
            label={texts.columns[name]}
            facet={facets.data?.[name]}
            value={view[name]}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
        {isFiltered({ ...view, text: typed }) ? (
          <IconButton label={texts.clearFilter} onClick={() => change(NO_FILTER)}>
            <X />
          </IconButton>
        ) : null}
      </div>
    </search>
  );
}

/** @param unknown devices that nobody watches */
function StatusTabs({ unknown }: { unknown: number }) {
  const { view, changeView, list } = useScreen();
  const { counts } = list;
  const isUnknown = view.watch === 'unknown';
  return (
    <fieldset className={tabStyles.tabs}>
      <legend className="visually-hidden">{texts.columns.status}</legend>
      {TABS.map((status) => (
        <button
          key={status}
          type="button"
          className={tabStyles.tab}
          aria-pressed={view.status === status}
          onClick={() => changeView({ status })}
        >
          {texts.tabs[status]}
          {counts === null ? null : <span className={styles.count}>{numberText(counts[status])}</span>}
        </button>
      ))}
      {unknown > 0 || isUnknown ? (
        <button
          type="button"
          className={tabStyles.tab}
          aria-pressed={isUnknown}
          title={watchTexts.unknownHint}
          onClick={() => changeView({ watch: isUnknown ? null : 'unknown' })}
        >
          {watchTexts.unknownTab}
          <span className={styles.count}>{numberText(unknown)}</span>
        </button>
      ) : null}
    </fieldset>
  );
}

interface FacetProps {
  label: string;
  facet: Facet | undefined;
  value: string | null;
  onChange: (value: string | null) => void;
}

/** The value of an option begins with `=`, because the empty value is one of the API's and not "any". */
function FacetSelect({ label, facet, value, onChange }: FacetProps) {
  const values = facet?.values ?? [];
  const isListed = value === null || values.some((one) => one.value === value);
  return (
    <SelectField
      label={label}
      isLabelHidden
      value={value === null ? '' : `=${value}`}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value.slice(1))}
    >
      <option value="">{texts.any(label)}</option>
      {isListed ? null : <option value={`=${value}`}>{value || texts.without}</option>}
      {values.map((one) => (
        <option key={one.value} value={`=${one.value}`}>
          {texts.withCount(one.value || texts.without, one.count)}
        </option>
      ))}
      {facet?.truncated ? <option disabled>{texts.moreValues}</option> : null}
    </SelectField>
  );
}
