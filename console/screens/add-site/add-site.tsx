/** A new site; its first agent comes next. */
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { problemOf } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, ProblemBox } from '../../ui/state.tsx';
import styles from './add-site.module.css';
import { siteIdFrom } from './site-id.ts';
import { texts } from './texts.ts';

export default function AddSite() {
  const [, navigate] = useLocation();
  const rights = useRights();
  const add = useChange('POST /sites');
  const [name, setName] = useState('');
  const [ownId, setOwnId] = useState<string | null>(null);
  const id = ownId ?? siteIdFrom(name);

  function submit(event: FormEvent): void {
    event.preventDefault();
    add.mutate(
      { body: { id: id.trim(), ...(name.trim() === '' ? {} : { name: name.trim() }) } },
      { onSuccess: (site) => navigate(`/sites/${site.id}/agents/new`, { replace: true }) },
    );
  }

  // Empty: the token is not known yet.
  if (rights.tokenId === '') return null;
  if (!rights.may('admin') || !rights.isForAllSites) return <Empty title={texts.needsAllSites} />;
  const idProblem = add.error === null ? undefined : problemOf(add.error).fields.find(({ path }) => path === 'id');
  return (
    <Page title={texts.title}>
      <Card>
        <p className={styles.intro}>{texts.intro}</p>
        <form className={styles.form} onSubmit={submit} noValidate>
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            maxLength={100}
            autoFocus
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <TextField
            label={texts.id}
            hint={texts.idHint}
            error={idProblem?.message}
            autoCapitalize="none"
            value={id}
            onChange={({ target }) => setOwnId(target.value)}
          />
          {add.error === null || idProblem !== undefined ? null : <ProblemBox error={add.error} />}
          <div>
            <Button type="submit" look="primary" disabled={add.isPending || id.trim() === ''}>
              {texts.submit}
            </Button>
          </div>
        </form>
      </Card>
    </Page>
  );
}
