/** What a new token may do, where, and until when. */
import { useState } from 'react';
import { admin } from '../../../shared/api/admin.ts';
import type { Scope } from '../../../shared/identity.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { CheckGroup, CheckList, RadioField, SelectField, TextField } from '../../ui/field.tsx';
import { type Form, FormDialog, useForm } from '../../ui/form.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { offeredRoles, ROLES, type Role } from './roles.ts';
import { texts } from './texts.ts';
import { type Expiry, expiryTime, type Maker, offeredExpiries, offeredScopes } from './token-limits.ts';
import styles from './tokens.module.css';

export type MadeToken = AnswerOf<'POST /tokens'>;

/** For a person, who has a role, or for a program, which gets single scopes. */
export type TokenKind = 'person' | 'program';

interface Values {
  name: string;
  role: Role;
  scopes: readonly Scope[];
  isForAllSites: boolean;
  sites: readonly string[];
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
    first: {
      name: '',
      role: roles[0] ?? 'viewer',
      scopes: offeredScopes(maker).slice(0, 1),
      isForAllSites: false,
      sites: maker.sites !== '*' && maker.sites.length === 1 ? maker.sites : [],
      expiry: maker.expiresAt === null ? '90' : 'own',
      expiresAt: '',
    } as Values,
    schema: admin.createToken.body,
    says: {
      name: isPerson ? texts.whoMissing : texts.nameMissing,
      scopes: texts.scopesMissing,
      sites: texts.sitesMissing,
      expiresAt: texts.dateMissing,
    },
    body: ({ name, role, scopes, isForAllSites, sites, expiry, expiresAt: lastDay }) => {
      const expiresAt = expiryTime(expiry, lastDay, Date.now());
      return {
        name: name.trim(),
        scopes: isPerson ? [...ROLES[role]] : [...scopes],
        sites: isForAllSites ? ('*' as const) : [...sites],
        ...(expiresAt === null ? {} : { expiresAt }),
      };
    },
    send: (body) => ask('POST /tokens', { body }),
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
          <div className={styles.roles}>
            {roles.map((role) => (
              <RadioField
                key={role}
                name="role"
                label={
                  <span className={styles.role}>
                    <strong>{texts.roles[role]}</strong>
                    <span>{texts.roleHints[role]}</span>
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
            labelOf={(scope) => <Coded text={texts.scopes[scope]} code={scope} />}
          />
        </CheckGroup>
      )}
      <Sites form={form} maker={maker} />
      <div className={styles.ending}>
        <SelectField label={texts.expiry} {...form.text('expiry')}>
          {expiries.map((expiry) => (
            <option key={expiry} value={expiry}>
              {texts.expiries[expiry]}
            </option>
          ))}
        </SelectField>
        {form.values.expiry === 'date' ? (
          <TextField label={texts.date} type="date" {...form.text('expiresAt')} />
        ) : null}
      </div>
    </FormDialog>
  );
}

function Sites({ form, maker }: { form: Form<Values>; maker: Maker }) {
  const rights = useRights();
  const { data, error } = useAnswer('GET /sites', {}, { everyMs: 0, when: rights.may('devices:read') });
  const names = new Map(data?.sites.map(({ id, name }) => [id, name]));
  const mayAll = maker.sites === '*';
  const { isForAllSites } = form.values;
  return (
    <CheckGroup label={texts.sites} error={form.list('sites').error}>
      {mayAll ? (
        <>
          <RadioField
            name="sites"
            label={texts.allSites}
            checked={isForAllSites}
            onChange={() => form.set({ isForAllSites: true })}
          />
          <RadioField
            name="sites"
            label={texts.chooseSites}
            checked={!isForAllSites}
            onChange={() => form.set({ isForAllSites: false })}
          />
        </>
      ) : null}
      {isForAllSites ? null : (
        <div className={styles.siteBoxes} data-inset={mayAll || undefined}>
          {error === null ? null : <ProblemBox error={error} />}
          <CheckList
            options={maker.sites === '*' ? [...names.keys()] : maker.sites}
            {...form.list('sites')}
            labelOf={(id) => <Coded text={names.get(id) ?? id} code={id} />}
          />
        </div>
      )}
    </CheckGroup>
  );
}

/** What something is called, with its name in the API. */
function Coded({ text, code }: { text: string; code: string }) {
  return (
    <span className={styles.coded}>
      <span data-foreign>{text}</span> {text === code ? null : <code className="muted">{code}</code>}
    </span>
  );
}
