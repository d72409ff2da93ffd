/** The filters of the events. */
import eventNames from 'messages:eventNames';
import texts from 'messages:events';
import { useEffect, useState } from 'react';
import { EVENT_GROUPS } from '../../text/event-groups.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import styles from './filter-bar.module.css';
import { type Filters, GROUPS, NO_FILTERS, type Period, TYPES } from './filters.ts';

interface Props {
  filters: Filters;
  onChange: (filters: Filters) => void;
  deviceName: string;
}

/** Pause in typing before the address changes. */
const PAUSE_MS = 250;

export function FilterBar({ filters, onChange, deviceName }: Props) {
  const isAnySet = Object.values(filters).some((value) => value !== '');
  return (
    <search
      className={`${styles.filters} flex flex-wrap items-center gap-2 [&>div]:flex-[0_1_190px] max-600:[&>div]:flex-[1_1_140px] max-600:[&>div]:max-w-none [&_select]:whitespace-nowrap`}
    >
      <WordsField text={filters.text} onChange={(text) => onChange({ ...filters, text })} />
      <TypeField type={filters.type} onChange={(type) => onChange({ ...filters, type })} />
      <SelectField
        label={texts.filterPeriod}
        isLabelHidden
        value={filters.period}
        onChange={({ target }) => onChange({ ...filters, period: target.value as Period })}
      >
        {Object.entries(texts.periods).map(([period, label]) => (
          <option key={period} value={period}>
            {label}
          </option>
        ))}
      </SelectField>
      {filters.device === '' ? null : (
        <Chip tone="accent" removeLabel={texts.everyDevice} onRemove={() => onChange({ ...filters, device: '' })}>
          {deviceName}
        </Chip>
      )}
      {isAnySet ? (
        <Button look="quiet" onClick={() => onChange(NO_FILTERS)}>
          {texts.clearFilters}
        </Button>
      ) : null}
    </search>
  );
}

function TypeField({ type, onChange }: { type: string; onChange: (type: string) => void }) {
  const known = [...TYPES, ...GROUPS.map((group) => group.type)] as string[];
  return (
    <SelectField label={texts.filterType} isLabelHidden value={type} onChange={({ target }) => onChange(target.value)}>
      <option value="">{texts.anyType}</option>
      <optgroup label={texts.groups}>
        {GROUPS.map((group) => (
          <option key={group.type} value={group.type}>
            {group.label}
          </option>
        ))}
        {type === '' || known.includes(type) ? null : <option value={type}>{labelOf(type)}</option>}
      </optgroup>
      {EVENT_GROUPS.map((group) => (
        <optgroup key={group.label} label={group.label}>
          {group.types.map((one) => (
            <option key={one} value={one}>
              {eventNames[one]}
            </option>
          ))}
        </optgroup>
      ))}
    </SelectField>
  );
}

/** For types that only an address can combine. */
function labelOf(types: string): string {
  return TYPES.filter((one) => types.split(',').includes(one))
    .map((one) => eventNames[one])
    .join(', ');
}

function WordsField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing triggers it
  useEffect(() => {
    if (typed === text) return undefined;
    const timer = window.setTimeout(() => onChange(typed), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  return (
    <TextField
      label={texts.filterText}
      isLabelHidden
      type="search"
      maxLength={200}
      placeholder={texts.filterTextHint}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}
