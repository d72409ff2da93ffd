/** The name of a site, which can be changed in place. */
import texts from 'messages:siteSettings';
import { admin } from '../../../shared/api/admin.ts';
import { ask } from '../../api/client.ts';
import { TextField } from '../../ui/field.tsx';
import { FormBox, SaveActions, useForm } from '../../ui/form.tsx';

export function NameForm({ site, name }: { site: string; name: string }) {
  const form = useForm({
    first: { name },
    schema: admin.changeSite.body,
    says: { name: texts.nameMissing },
    body: (values) => ({ name: values.name.trim() }),
    send: (body) => ask('PATCH /sites/{site}', { params: { site }, body }),
    toast: texts.saved,
    onDone: () => form.reset(),
  });
  return (
    <FormBox form={form} actions={<SaveActions form={form} />}>
      <TextField label={texts.name} isLabelHidden maxLength={100} {...form.text('name')} />
    </FormBox>
  );
}
