/** By which clock the schedules of a site go, and where other sites reach it. */
import texts from 'messages:siteSettings';
import { useMemo } from 'react';
import { admin } from '../../../shared/api/admin.ts';
import { ask } from '../../api/client.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormBox, SaveActions, useForm } from '../../ui/form.tsx';

const MAX_SUGGESTED = 50;

interface Place {
  timeZone: string;
  reachableAt: string | null;
}

export function PlaceForm({ site, timeZone, reachableAt }: Place & { site: string }) {
  const form = useForm({
    first: { timeZone, reachableAt: reachableAt ?? '' },
    schema: admin.changeSite.body,
    says: { timeZone: texts.timeZoneError },
    body: (values, changes) => ({
      ...(changes.timeZone === undefined ? {} : { timeZone: values.timeZone.trim() }),
      ...(changes.reachableAt === undefined
        ? {}
        : { reachableAt: values.reachableAt.trim() === '' ? null : values.reachableAt.trim() }),
    }),
    send: (body) => ask('PATCH /sites/{site}', { params: { site }, body }),
    toast: texts.saved,
    onDone: () => form.reset(),
  });
  return (
    <FormBox form={form} actions={<SaveActions form={form} />}>
      <ZoneField
        {...form.text('timeZone')}
        isChanged={form.values.timeZone !== timeZone}
        onChange={(zone) => form.set({ timeZone: zone })}
      />
      <TextField label={texts.reachableAt} hint={texts.reachableAtHint} maxLength={253} {...form.text('reachableAt')} />
    </FormBox>
  );
}

interface ZoneProps {
  value: string;
  error: string | undefined;
  /** Else all zones are offered. */
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

/** For a token that may not change them. */
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
