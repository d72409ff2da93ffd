/** By which clock the schedules of a site go, and where other sites reach it. */
import { useId } from 'react';
import { admin } from '../../../shared/api/admin.ts';
import { ask } from '../../api/client.ts';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormBox, SaveActions, useForm } from '../../ui/form.tsx';
import { texts } from './texts.ts';

interface Place {
  timeZone: string;
  reachableAt: string | null;
}

export function PlaceForm({ site, timeZone, reachableAt }: Place & { site: string }) {
  const zones = useId();
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
      <TextField label={texts.timeZone} hint={texts.timeZoneHint} list={zones} {...form.text('timeZone')} />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <TextField label={texts.reachableAt} hint={texts.reachableAtHint} maxLength={253} {...form.text('reachableAt')} />
    </FormBox>
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
