/** Forms that change a site in place, and the simplest of them. */
import texts from 'messages:siteSettings';
import type { ReactNode } from 'react';
import { TextField } from '../../ui/field.tsx';
import { type BodyOf, type Form, FormBox, SaveActions, useForm } from '../../ui/form.tsx';
import { TagsField } from '../../ui/tags-field.tsx';

interface Options<Values> {
  first: Values;
  body: (values: Values, changes: Partial<Values>) => BodyOf<'PATCH /sites/{site}'>;
  says?: Partial<Record<keyof Values, string>>;
}

export function useSiteForm<Values extends object>(site: string, options: Options<Values>): Form<Values> {
  const form: Form<Values> = useForm({
    ...options,
    route: 'PATCH /sites/{site}',
    question: { params: { site } },
    toast: texts.saved,
    onDone: () => form.reset(),
  });
  return form;
}

export function SiteForm<Values>({ form, children }: { form: Form<Values>; children: ReactNode }) {
  return (
    <FormBox form={form} actions={<SaveActions form={form} />}>
      {children}
    </FormBox>
  );
}

export function NameForm({ site, name }: { site: string; name: string }) {
  const form = useSiteForm(site, {
    first: { name },
    says: { name: texts.nameMissing },
    body: (values) => ({ name: values.name.trim() }),
  });
  return (
    <SiteForm form={form}>
      <TextField label={texts.name} isLabelHidden maxLength={100} {...form.text('name')} />
    </SiteForm>
  );
}

export function TagsForm({ site, tags }: { site: string; tags: readonly string[] }) {
  const form = useSiteForm(site, { first: { tags }, body: (values) => ({ tags: [...values.tags] }) });
  return (
    <SiteForm form={form}>
      <TagsField label={texts.tags} isLabelHidden {...form.list('tags')} />
    </SiteForm>
  );
}
