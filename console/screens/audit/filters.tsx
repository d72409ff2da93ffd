/** The filters of the audit log, kept in the query of the address. */
import texts from 'messages:audit';
import { useState } from 'react';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { DeviceField } from '../../ui/device-field.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Options } from '../../ui/options.tsx';
import { dayOf, daysBefore, KEPT_DAYS } from '../changes/days.ts';

export const NO_FILTERS = { site: '', by: '', action: '', about: '', day: '' };
export type Filters = Record<keyof typeof NO_FILTERS, string>;

/** Of the choice of a site; no site has this id. */
export const ALL_SITES = '*';

interface Props {
  filters: Filters;
  sites: readonly { id: string; name: string }[];
  onChange: (filters: Filters) => void;
}

const labels = texts.filters;

export function AuditFilters({ filters, sites, onChange }: Props) {
  const [today] = useState(() => new Date());
  const { site, by, action, about, day } = filters;
  const set = (changed: Partial<Filters>) => onChange({ ...filters, ...changed });
  const isAnySet = [by, action, about, day].some((value) => value !== '');
  const device = { label: labels.about, value: about, hint: null, error: undefined };
  return (
    <search className="grid grid-cols-[repeat(auto-fit,minmax(min(170px,100%),1fr))] items-end gap-x-3 gap-y-2">
      {sites.length < 2 ? null : (
        <SelectField label={labels.site} value={site} onChange={({ target }) => set({ site: target.value, about: '' })}>
          <option value={ALL_SITES}>{labels.allSites}</option>
          {site === ALL_SITES || sites.some(({ id }) => id === site) ? null : <option value={site}>{site}</option>}
          <Options of={sites.map(({ id, name }) => [id, name])} />
        </SelectField>
      )}
      <ActorField value={by} onChange={(chosen) => set({ by: chosen })} />
      <SelectField label={labels.action} value={action} onChange={({ target }) => set({ action: target.value })}>
        <option value="">{labels.anyAction}</option>
        {action === '' || Object.hasOwn(texts.groups, action) ? null : <option value={action}>{action}</option>}
        <Options of={texts.groups} />
      </SelectField>
      {site === ALL_SITES || site === '' ? (
        <TextField {...device} onChange={({ target }) => set({ about: target.value })} />
      ) : (
        <DeviceField {...device} site={site} onChange={({ target }) => set({ about: target.value })} />
      )}
      <TextField
        label={labels.day}
        type="date"
        min={daysBefore(today, KEPT_DAYS)}
        max={dayOf(today)}
        value={day}
        onChange={({ target }) => set({ day: target.value })}
      />
      {isAnySet ? (
        <div>
          <Button look="quiet" onClick={() => onChange({ ...NO_FILTERS, site })}>
            {labels.clear}
          </Button>
        </div>
      ) : null}
    </search>
  );
}

function ActorField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { data: people } = useAnswer('GET /people', {}, { everyMs: POLL_MS.calm });
  const { data: tokens } = useAnswer('GET /tokens', {}, { everyMs: POLL_MS.calm });
  const named = (all: readonly { id: string; name: string }[]) =>
    all.map(({ id, name }): [string, string] => [id, name]).sort(([, a], [, b]) => a.localeCompare(b));
  const groups = [
    { label: labels.people, of: named(people?.people ?? []) },
    { label: labels.tokens, of: named((tokens?.tokens ?? []).filter(({ person }) => person === null)) },
  ].filter(({ of }) => of.length > 0);
  const isKnown = groups.some(({ of }) => of.some(([id]) => id === value));
  return (
    <SelectField label={labels.by} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{labels.anyone}</option>
      {value === '' || isKnown ? null : <option value={value}>{value}</option>}
      {groups.map(({ label, of }) => (
        <optgroup key={label} label={label}>
          <Options of={of} />
        </optgroup>
      ))}
    </SelectField>
  );
}
