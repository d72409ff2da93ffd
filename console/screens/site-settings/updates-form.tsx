/** How the agents of a site are updated. */
import texts from 'messages:siteSettings';
import type { Updates } from '../../../shared/api/records.ts';
import { Facts } from '../../ui/facts.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Options } from '../../ui/options.tsx';
import { SiteForm, useSiteForm } from './site-form.tsx';

export function UpdatesForm({ site, updates: { mode, window } }: { site: string; updates: Updates }) {
  const form = useSiteForm(site, {
    first: { mode, from: window?.from ?? '', to: window?.to ?? '' },
    says: { from: texts.windowError, to: texts.windowError },
    body: (values) => {
      const [from, to] = [values.from.trim(), values.to.trim()];
      return {
        updates: { mode: values.mode, window: from === '' && to === '' ? null : { from, to } },
      };
    },
  });
  return (
    <SiteForm form={form}>
      <SelectField label={texts.updateMode} {...form.text('mode')}>
        <Options of={texts.updateModes} />
      </SelectField>
      {form.values.mode === 'auto' ? (
        <>
          <TextField label={texts.from} hint={texts.windowHint} maxLength={5} {...form.text('from')} />
          <TextField label={texts.to} maxLength={5} {...form.text('to')} />
        </>
      ) : null}
    </SiteForm>
  );
}

/** For tokens that may not change them. */
export function UpdatesFacts({ updates: { mode, window } }: { updates: Updates }) {
  return (
    <Facts
      facts={[
        [texts.updateMode, texts.updateModes[mode]],
        [texts.from, window?.from ?? ''],
        [texts.to, window?.to ?? ''],
      ]}
    />
  );
}
