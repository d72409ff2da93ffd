/** What a new token may do, where, and until when. */
import { type FormEvent, useState } from 'react';
import type { Scope } from '../../../shared/identity.ts';
import type { AnswerOf } from '../../api/client.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CheckGroup } from '../../ui/check-group.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { texts } from './texts.ts';
import {
  bodyOf,
  type DraftErrors,
  type Expiry,
  errorsOf,
  type Maker,
  newDraft,
  offeredExpiries,
  offeredScopes,
  type TokenDraft,
} from './token-draft.ts';
import styles from './tokens.module.css';

export type MadeToken = AnswerOf<'POST /tokens'>;

interface Props {
  maker: Maker;
  onMade: (made: MadeToken) => void;
  onClose: () => void;
}

interface PartProps {
  draft: TokenDraft;
  maker: Maker;
  errors: DraftErrors;
  change: (part: Partial<TokenDraft>) => void;
}

export function TokenForm({ maker, onMade, onClose }: Props) {
  const [draft, setDraft] = useState(() => newDraft(maker));
  const [isTried, setTried] = useState(false);
  const { mutate, isPending, error } = useChange('POST /tokens');
  const errors = isTried ? errorsOf(draft) : {};
  const change = (part: Partial<TokenDraft>) => setDraft({ ...draft, ...part });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (Object.keys(errorsOf(draft)).length > 0) return;
    mutate({ body: bodyOf(draft, Date.now()) }, { onSuccess: onMade });
  }

  const parts = { draft, maker, errors, change };
  // The answer has the secret, which nothing shows again.
  const close = isPending ? () => {} : onClose;
  return (
    <Dialog title={texts.make} onClose={close}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          error={errors.name}
          maxLength={100}
          autoFocus
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Scopes {...parts} />
        <Sites {...parts} />
        <Ending {...parts} />
        {error === null ? null : <ProblemBox error={error} />}
        <DialogActions>
          <Button onClick={close} disabled={isPending}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" disabled={isPending}>
            {texts.make}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Scopes({ draft, maker, errors, change }: PartProps) {
  return (
    <CheckGroup label={texts.may} error={errors.scopes}>
      {offeredScopes(maker).map((scope: Scope) => (
        <CheckField
          key={scope}
          label={
            <span>
              {texts.scopes[scope]} <code className={styles.muted}>{scope}</code>
            </span>
          }
          checked={draft.scopes.includes(scope)}
          onChange={({ target }) => change({ scopes: toggled(draft.scopes, scope, target.checked) })}
        />
      ))}
    </CheckGroup>
  );
}

function Sites({ draft, maker, errors, change }: PartProps) {
  const isOffered = maker.sites === '*';
  return (
    <CheckGroup label={texts.sites} error={errors.sites}>
      {isOffered
        ? [true, false].map((isForAll) => (
            <label key={String(isForAll)} className={styles.radio}>
              <input
                type="radio"
                name="sites"
                checked={draft.isForAllSites === isForAll}
                onChange={() => change({ isForAllSites: isForAll })}
              />
              {isForAll ? texts.allSites : texts.chooseSites}
            </label>
          ))
        : null}
      {draft.isForAllSites ? null : <SiteBoxes {...{ draft, maker, errors, change }} isInset={isOffered} />}
    </CheckGroup>
  );
}

function SiteBoxes({ draft, maker, change, isInset }: PartProps & { isInset: boolean }) {
  const rights = useRights();
  const { data, error } = useAnswer('GET /sites', {}, { everyMs: 0, when: rights.may('devices:read') });
  const names = new Map(data?.sites.map(({ id, name }) => [id, name]));
  const ids = maker.sites === '*' ? [...names.keys()] : maker.sites;
  return (
    <div className={styles.siteBoxes} data-inset={isInset || undefined}>
      {error === null ? null : <ProblemBox error={error} />}
      {ids.map((id) => (
        <CheckField
          key={id}
          label={<SiteLabel id={id} name={names.get(id) ?? id} />}
          checked={draft.sites.includes(id)}
          onChange={({ target }) => change({ sites: toggled(draft.sites, id, target.checked) })}
        />
      ))}
    </div>
  );
}

function SiteLabel({ id, name }: { id: string; name: string }) {
  return (
    <span className={styles.siteLabel}>
      <span data-foreign>{name}</span> {name === id ? null : <code className={styles.muted}>{id}</code>}
    </span>
  );
}

function Ending({ draft, maker, errors, change }: PartProps) {
  const [offered] = useState(() => offeredExpiries(maker, Date.now()));
  return (
    <div className={styles.ending}>
      <SelectField
        label={texts.expiry}
        value={draft.expiry}
        onChange={({ target }) => change({ expiry: target.value as Expiry })}
      >
        {offered.map((expiry) => (
          <option key={expiry} value={expiry}>
            {texts.expiries[expiry]}
          </option>
        ))}
      </SelectField>
      {draft.expiry === 'date' ? (
        <TextField
          label={texts.date}
          type="date"
          error={errors.date}
          value={draft.date}
          onChange={({ target }) => change({ date: target.value })}
        />
      ) : null}
    </div>
  );
}

function toggled<T>(all: readonly T[], one: T, isOn: boolean): T[] {
  const others = all.filter((other) => other !== one);
  return isOn ? [...others, one] : others;
}
