/** The form of a new token: its scopes, sites and expiry. */
import roleTexts from 'messages:roles';
import siteTexts from 'messages:siteChoice';
import texts from 'messages:tokens';
import { useState } from 'react';
import type { Scope } from '../../../shared/identity.ts';
import { type Role, SCOPES_OF_ROLE } from '../../../shared/roles.ts';
import type { AnswerOf } from '../../api/client.ts';
import type { Selection } from '../../api/selection.ts';
import { CheckGroup, CheckList, RadioField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { SitesField } from '../../ui/sites-field.tsx';
import { offeredRoles } from './roles.ts';
import { type Expiry, expiryTime, type Maker, offeredExpiries, offeredScopes } from './token-limits.ts';

export type MadeToken = AnswerOf<'POST /tokens'>;

/** A person gets a role, a program gets single scopes. */
export type TokenKind = 'person' | 'program';

interface Values {
  name: string;
  role: Role;
  scopes: readonly Scope[];
  sites: Selection;
  expiry: Expiry;
  /** The last day, `2026-12-31`, for the expiry `date`. */
  expiresAt: string;
}

interface Props {
  kind: TokenKind;
  /** The token of the session. */
  maker: Maker;
  onMade: (made: MadeToken) => void;
  onClose: () => void;
}

export function TokenForm({ kind, maker, onMade, onClose }: Props) {
  const isPerson = kind === 'person';
  const roles = offeredRoles(maker);
  const [expiries] = useState(() => offeredExpiries(maker, Date.now()));
  const form = useForm({
    route: 'POST /tokens',
    first: {
      name: '',
      role: roles[0] ?? 'viewer',
      scopes: offeredScopes(maker).slice(0, 1),
      sites: maker.sites !== '*' && maker.sites.length === 1 ? maker.sites : [],
      expiry: maker.expiresAt === null ? '90' : 'own',
      expiresAt: '',
    } as Values,
    says: {
      name: isPerson ? texts.whoMissing : texts.nameMissing,
      scopes: texts.scopesMissing,
      sites: siteTexts.missing,
      expiresAt: texts.dateMissing,
    },
    body: ({ name, role, scopes, sites, expiry, expiresAt: lastDay }) => {
      const expiresAt = expiryTime(expiry, lastDay, Date.now());
      return {
        name: name.trim(),
        scopes: isPerson ? [...SCOPES_OF_ROLE[role]] : [...scopes],
        sites: sites === '*' ? sites : [...sites],
        ...(expiresAt === null ? {} : { expiresAt }),
      };
    },
    onDone: onMade,
  });
  return (
    <FormDialog
      form={form}
      title={isPerson ? texts.inviteTitle : texts.make}
      submit={isPerson ? texts.inviteSubmit : texts.make}
      onClose={onClose}
    >
      <TextField
        label={isPerson ? texts.who : texts.name}
        hint={isPerson ? texts.whoHint : texts.nameHint}
        maxLength={100}
        {...form.text('name')}
      />
      {isPerson ? (
        <CheckGroup label={texts.role}>
          <div className="grid gap-2 w-full">
            {roles.map((role) => (
              <RadioField
                key={role}
                name="role"
                label={
                  <span className="grid [&_strong]:font-[550] [&_span]:text-muted [&_span]:text-sm">
                    <strong>{roleTexts.names[role]}</strong>
                    <span>{roleTexts.hints[role]}</span>
                  </span>
                }
                checked={form.values.role === role}
                onChange={() => form.set({ role })}
              />
            ))}
          </div>
        </CheckGroup>
      ) : (
        <CheckGroup label={texts.may} error={form.list('scopes').error}>
          <CheckList
            options={offeredScopes(maker)}
            {...form.list('scopes')}
            labelOf={(scope) => (
              <span className="wrap-anywhere">
                <span data-foreign>{texts.scopes[scope]}</span> <code className="text-muted">{scope}</code>
              </span>
            )}
          />
        </CheckGroup>
      )}
      <SitesField
        label={texts.sites}
        value={form.values.sites}
        most={maker.sites}
        error={form.errorOf('sites')}
        onChange={(sites) => form.set({ sites })}
      />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(180px,1fr))] gap-3">
        <SelectField label={texts.expiry} {...form.text('expiry')}>
          <Options of={expiries.map((one) => [one, texts.expiries[one]])} />
        </SelectField>
        {form.values.expiry === 'date' ? (
          <TextField label={texts.date} type="date" {...form.text('expiresAt')} />
        ) : null}
      </div>
    </FormDialog>
  );
}
