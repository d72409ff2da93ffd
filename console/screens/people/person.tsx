/** One person: their roles, their account at the provider, their tokens, and whether they may come in. */
import texts from 'messages:people';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Person } from '../../../shared/api/records.ts';
import { ask } from '../../api/client.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { FormDialog, useConfirmation } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Section, Sections } from '../../ui/section.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './people.module.css';
import { Grants, PersonState } from './person-state.tsx';
import { RolesDialog } from './roles-dialog.tsx';

type Shown = 'roles' | 'remove' | null;

export default function PersonScreen({ id }: { id: string }) {
  const rights = useRights();
  const people = useAnswer('GET /people', {}, { when: rights.may('admin') });
  // Empty: the token is not known yet.
  if (rights.tokenId === '') return null;
  if (!rights.may('admin')) {
    return (
      <Page title={texts.list}>
        <Empty title={texts.needsAdmin} />
      </Page>
    );
  }
  const person = people.data?.people.find((one) => one.id === id);
  if (person !== undefined) return <OnePerson person={person} isOwn={id === rights.person} />;
  return (
    <Page title={texts.list}>
      <Answered of={people}>
        {() => (
          <Empty title={texts.notFound}>
            <p>{texts.notFoundWhy}</p>
            <LinkButton to="/admin/people">{texts.toPeople}</LinkButton>
          </Empty>
        )}
      </Answered>
    </Page>
  );
}

function OnePerson({ person, isOwn }: { person: Person; isOwn: boolean }) {
  const { id, name, email, issuer, subject, grants, grantsBy, isDisabled, createdAt, lastSignInAt } = person;
  const [shown, show] = useState<Shown>(null);
  const { isForAllSites } = useRights();
  const change = useChange('PATCH /people/{id}');
  const send = (body: { grants: null } | { isDisabled: boolean }, said: string) =>
    change.mutate({ params: { id }, body }, { onSuccess: () => showToast(said), onError: showProblem });
  return (
    <Page title={name} actions={<PersonState person={person} />}>
      <Sections>
        <Section title={texts.roles} hint={texts.rolesWhat}>
          {grants.length === 0 ? <p>{texts.noRoles}</p> : <Grants grants={grants} />}
          {grants.length === 0 ? null : (
            <p className="text-muted">{grantsBy === 'claims' ? texts.rolesByClaims : texts.rolesByHand}</p>
          )}
          <div className="flex flex-wrap gap-2">
            <Button look={grants.length === 0 ? 'primary' : 'plain'} onClick={() => show('roles')}>
              {grants.length === 0 ? texts.give : texts.change}
            </Button>
            {grantsBy === 'hand' ? (
              <Button
                look="quiet"
                disabled={change.isPending}
                onClick={() => send({ grants: null }, texts.toClaimsDone({ name }))}
              >
                {texts.toClaims}
              </Button>
            ) : null}
          </div>
        </Section>
        <Section title={texts.tokens} hint={texts.tokensWhat}>
          <Tokens person={id} />
        </Section>
        <Section title={texts.account} hint={texts.accountWhat}>
          <Facts
            facts={[
              [texts.email, email ?? ''],
              [
                texts.issuer,
                <span key="issuer" data-foreign>
                  {issuer}
                </span>,
              ],
              [
                texts.subject,
                <code key="subject" data-foreign>
                  {subject}
                </code>,
              ],
              [texts.firstSeen, <Time key="first" at={createdAt} />],
              [texts.lastSignIn, <Time key="last" at={lastSignInAt} />],
            ]}
          />
        </Section>
        <Section title={texts.access} hint={texts.accessWhat} isDanger={!isOwn}>
          {isOwn || !isForAllSites ? (
            <p className="text-muted">{isOwn ? texts.ownAccount : texts.needsAllSites}</p>
          ) : (
            <div className="flex flex-wrap gap-2">
              <Button
                disabled={change.isPending}
                onClick={() =>
                  send({ isDisabled: !isDisabled }, isDisabled ? texts.enabled({ name }) : texts.disabled({ name }))
                }
              >
                {isDisabled ? texts.enable : texts.disable}
              </Button>
              <Button look="danger" onClick={() => show('remove')}>
                {texts.remove}
              </Button>
            </div>
          )}
        </Section>
      </Sections>
      {shown === 'roles' ? <RolesDialog person={person} onClose={() => show(null)} /> : null}
      {shown === 'remove' ? <RemoveDialog person={person} onClose={() => show(null)} /> : null}
    </Page>
  );
}

function Tokens({ person }: { person: string }) {
  const tokens = useAnswer('GET /tokens');
  return (
    <Answered of={tokens}>
      {({ tokens: all }) => {
        const own = all.filter((token) => token.person === person);
        if (own.length === 0) return <p className="text-muted">{texts.noTokens}</p>;
        return (
          <>
            <ul className={`${styles.tokens} [&_li:last-child]:border-b-0`}>
              {own.map(({ id, name, purpose, expiresAt }) => (
                <li key={id}>
                  <span data-foreign>{name}</span>
                  <span className="text-muted">
                    {texts.kinds[purpose]}, {texts.ends} <Time at={expiresAt} />
                  </span>
                </li>
              ))}
            </ul>
            <Link href="/admin/tokens">{texts.allTokens}</Link>
          </>
        );
      }}
    </Answered>
  );
}

function RemoveDialog({ person: { id, name }, onClose }: { person: Person; onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useConfirmation({
    send: () => ask('DELETE /people/{id}', { params: { id } }),
    onDone: () => {
      showToast(texts.removed({ name }));
      navigate('/admin/people', { replace: true });
    },
  });
  return (
    <FormDialog
      form={form}
      title={texts.removeTitle({ name })}
      submit={texts.removeSubmit}
      look="danger"
      onClose={onClose}
    >
      <p>{texts.removeWhat}</p>
    </FormDialog>
  );
}
