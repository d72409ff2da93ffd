/** The tags of a site, by which tokens, roles, schedules and templates are for it. */
import texts from 'messages:siteSettings';
import { admin } from '../../../shared/api/admin.ts';
import { ask } from '../../api/client.ts';
import { FormBox, SaveActions, useForm } from '../../ui/form.tsx';
import { TagsField } from '../../ui/tags-field.tsx';

export function TagsForm({ site, tags }: { site: string; tags: readonly string[] }) {
  const form = useForm({
    first: { tags },
    schema: admin.changeSite.body,
    body: (values) => ({ tags: [...values.tags] }),
    send: (body) => ask('PATCH /sites/{site}', { params: { site }, body }),
    toast: texts.saved,
    onDone: () => form.reset(),
  });
  return (
    <FormBox form={form} actions={<SaveActions form={form} />}>
      <TagsField label={texts.tags} isLabelHidden {...form.list('tags')} />
    </FormBox>
  );
}
