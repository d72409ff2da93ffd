/** A new site; its first agent comes next. */
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { problemOf } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { texts } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, ProblemBox } from '../../ui/state.tsx';
import styles from './add-site.module.css';
import { siteIdFrom } from './site-id.ts';

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
  if (!rights.may('admin') || !rights.isForAllSites) return <Empty title={texts.addSite.needsAllSites} />;
  const idProblem = add.error === null ? undefined : problemOf(add.error).fields.find(({ path }) => path === 'id');
  return (
    <Page title={texts.addSite.title}>
      <Card>
        <p className={styles.intro}>{texts.addSite.intro}</p>
        <form className={styles.form} onSubmit={submit} noValidate>
          <TextField
            label={texts.addSite.name}
            hint={texts.addSite.nameHint}
            maxLength={100}
            autoFocus
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <TextField
            label={texts.addSite.id}
            hint={texts.addSite.idHint}
            error={idProblem?.message}
            autoCapitalize="none"
            value={id}
            onChange={({ target }) => setOwnId(target.value)}
          />
          {add.error === null || idProblem !== undefined ? null : <ProblemBox error={add.error} />}
          <div>
            <Button type="submit" look="primary" disabled={add.isPending || id.trim() === ''}>
              {texts.addSite.submit}
            </Button>
          </div>
        </form>
      </Card>
    </Page>
  );
}
