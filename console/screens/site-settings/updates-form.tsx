/** How the agents of a site get newer releases, and how the present one is doing. */
import texts from 'messages:siteSettings';
import { admin } from '../../../shared/api/admin.ts';
import { Updates } from '../../../shared/api/records.ts';
import { ask } from '../../api/client.ts';
import { Facts } from '../../ui/facts.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormBox, SaveActions, useForm } from '../../ui/form.tsx';

export function UpdatesForm({ site, updates: { mode, window } }: { site: string; updates: Updates }) {
  const form = useForm({
    first: { mode: mode as string, from: window?.from ?? '', to: window?.to ?? '' },
    schema: admin.changeSite.body,
    says: { from: texts.windowError, to: texts.windowError },
    body: (values) => {
      const [from, to] = [values.from.trim(), values.to.trim()];
      return {
        updates: {
          mode: Updates.shape.mode.parse(values.mode),
          window: from === '' && to === '' ? null : { from, to },
        },
      };
    },
    send: (body) => ask('PATCH /sites/{site}', { params: { site }, body }),
    toast: texts.saved,
    onDone: () => form.reset(),
  });
  return (
    <FormBox form={form} actions={<SaveActions form={form} />}>
      <SelectField label={texts.updateMode} {...form.text('mode')}>
        {(['notify', 'auto', 'off'] as const).map((one) => (
          <option key={one} value={one}>
            {texts.updateModes[one]}
          </option>
        ))}
      </SelectField>
      {form.values.mode === 'auto' ? (
        <>
          <TextField label={texts.from} hint={texts.windowHint} maxLength={5} {...form.text('from')} />
          <TextField label={texts.to} maxLength={5} {...form.text('to')} />
        </>
      ) : null}
    </FormBox>
  );
}

/** For a token that may not change them. */
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
