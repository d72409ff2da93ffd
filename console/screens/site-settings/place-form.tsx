/** The time zone of the schedules of a site, and its address for other sites. */
import texts from 'messages:siteSettings';
import { useMemo } from 'react';
import { Combobox } from '../../ui/combobox.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { SiteForm, useSiteForm } from './site-form.tsx';

const MAX_SUGGESTED = 50;

interface Place {
  timeZone: string;
  reachableAt: string | null;
}

export function PlaceForm({ site, timeZone, reachableAt }: Place & { site: string }) {
  const form = useSiteForm(site, {
    first: { timeZone, reachableAt: reachableAt ?? '' },
    says: { timeZone: texts.timeZoneError },
    body: (values, changes) => ({
      ...(changes.timeZone === undefined ? {} : { timeZone: values.timeZone.trim() }),
      ...(changes.reachableAt === undefined
        ? {}
        : { reachableAt: values.reachableAt.trim() === '' ? null : values.reachableAt.trim() }),
    }),
  });
  return (
    <SiteForm form={form}>
      <ZoneField
        {...form.text('timeZone')}
        isChanged={form.values.timeZone !== timeZone}
        onChange={(zone) => form.set({ timeZone: zone })}
      />
      <TextField label={texts.reachableAt} hint={texts.reachableAtHint} maxLength={253} {...form.text('reachableAt')} />
    </SiteForm>
  );
}

interface ZoneProps {
  value: string;
  error: string | undefined;
  /** Otherwise it offers all zones. */
  isChanged: boolean;
  onChange: (zone: string) => void;
}

function ZoneField({ isChanged, ...field }: ZoneProps) {
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')], []);
  const typed = isChanged ? field.value.trim().toLowerCase().replaceAll(' ', '_') : '';
  const suggestions = zones.filter((zone) => zone.toLowerCase().includes(typed)).slice(0, MAX_SUGGESTED);
  return (
    <Combobox
      label={texts.timeZone}
      hint={texts.timeZoneHint}
      suggestions={suggestions.map((value) => ({ value }))}
      {...field}
    />
  );
}

/** For tokens that may not change them. */
export function PlaceFacts({ timeZone, reachableAt }: Place) {
  return (
    <Facts
      facts={[
        [texts.timeZone, timeZone],
        [texts.reachableAt, reachableAt ?? ''],
      ]}
    />
  );
}
