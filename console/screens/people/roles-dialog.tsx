/** Changes the roles of a person, each with its sites; or adds a person by their email address. */
import texts from 'messages:people';
import roleTexts from 'messages:roles';
import siteTexts from 'messages:siteChoice';
import { Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import type { Person } from '../../../shared/api/records.ts';
import type { Role } from '../../../shared/roles.ts';
import { useAnswer } from '../../api/queries.ts';
import type { Selection } from '../../api/selection.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { SitesField } from '../../ui/sites-field.tsx';
import { showToast } from '../../ui/toast.tsx';

interface Values {
  email: string;
  grants: readonly { role: Role; sites: Selection }[];
}

interface Props {
  /** Null for a new one. */
  person: Pick<Person, 'id' | 'name' | 'grants'> | null;
  onClose: () => void;
}

export function RolesDialog({ person, onClose }: Props) {
  const grants = person?.grants ?? [];
  const { data: maker } = useAnswer('GET /tokens/self');
  const most = maker?.sites ?? [];
  const fresh = { role: 'viewer', sites: most === '*' ? '*' : [] } as const;
  const form = useForm({
    route: person === null ? 'POST /people' : 'PATCH /people/{id}',
    question: person === null ? {} : { params: { id: person.id } },
    first: { email: '', grants: grants.length === 0 ? [fresh] : grants } as Values,
    says: { email: texts.emailMissing, grants: siteTexts.missing },
    body: ({ email, grants: given }) => ({
      ...(person === null ? { email: email.trim() } : { was: person.grants }),
      grants: given.map(({ role, sites }) => ({ role, sites: sites === '*' ? sites : [...sites] })),
    }),
    onDone() {
      showToast(
        person === null ? texts.addedNow({ email: form.values.email }) : texts.rolesSaved({ name: person.name }),
      );
      onClose();
    },
  });
  // Keys of the grants, which have no id.
  const keys = useRef<number[]>([]);
  const all = form.values.grants;
  while (keys.current.length < all.length) keys.current.push(Math.random());
  const put = (at: number, changed: Partial<Values['grants'][number]>) =>
    form.set({ grants: all.map((one, i) => (i === at ? { ...one, ...changed } : one)) });
  const isEmpty = ({ sites }: Values['grants'][number]) => sites !== '*' && sites.length === 0;
  return (
    <FormDialog
      form={form}
      title={person === null ? texts.add : texts.rolesTitle({ name: person.name })}
      submit={person === null ? texts.addSubmit : texts.change}
      isWide
      onClose={onClose}
    >
      {person === null ? (
        <TextField label={texts.email} hint={texts.emailHint} type="email" {...form.text('email')} />
      ) : null}
      {all.map((grant, i) => (
        <fieldset key={keys.current[i]} className="grid gap-3 min-w-0 m-0 p-3 border border-line rounded-card">
          <legend className="visually-hidden">{texts.roleOf({ number: i + 1 })}</legend>
          <div className="flex items-end gap-2 [&>:first-child]:flex-1">
            <SelectField
              label={texts.role}
              value={grant.role}
              onChange={({ target }) => put(i, { role: target.value as Role })}
            >
              <Options of={roleTexts.names} />
            </SelectField>
            {person === null && all.length === 1 ? null : (
              <IconButton
                label={texts.removeRole}
                icon={<Trash2 />}
                onClick={() => {
                  keys.current.splice(i, 1);
                  form.set({ grants: all.filter((_, at) => at !== i) });
                }}
              />
            )}
          </div>
          <p className="-mt-2 text-muted text-sm">{roleTexts.hints[grant.role]}</p>
          <SitesField
            label={texts.where}
            value={grant.sites}
            most={most}
            error={isEmpty(grant) ? form.errorOf('grants') : undefined}
            onChange={(sites) => put(i, { sites })}
          />
        </fieldset>
      ))}
      {all.length === 0 ? <p>{texts.noRoles}</p> : null}
      <div>
        <Button look="quiet" onClick={() => form.set({ grants: [...all, { ...fresh, sites: [] }] })} icon={<Plus />}>
          {all.length === 0 ? texts.give : texts.addRole}
        </Button>
      </div>
    </FormDialog>
  );
}
