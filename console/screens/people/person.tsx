/** One person: their roles, tokens, account at the provider, and access. */
import texts from 'messages:people';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Person } from '../../../shared/api/records.ts';
import { ask } from '../../api/client.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Allowed } from '../../ui/allowed.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Page } from '../../ui/page.tsx';
import { Section, Sections } from '../../ui/section.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './people.module.css';
import { Grants, PersonState } from './person-state.tsx';
import { RolesDialog } from './roles-dialog.tsx';

export default function PersonScreen({ id }: { id: string }) {
  return (
    <Allowed scope="admin" title={texts.list} needs={texts.needsAdmin}>
      <FoundPerson id={id} />
    </Allowed>
  );
}

function FoundPerson({ id }: { id: string }) {
  const people = useAnswer('GET /people');
  const person = people.data?.people.find((one) => one.id === id);
  if (person !== undefined) return <OnePerson person={person} />;
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

function OnePerson({ person }: { person: Person }) {
  const { id, name, email, issuer, subject, grants, grantsBy, isDisabled, isInvited, createdAt, lastSignInAt } = person;
  const [shown, show] = useState<'roles' | 'remove' | null>(null);
  const [, navigate] = useLocation();
  const rights = useRights();
  const isOwn = id === rights.person;
  const change = useChange('PATCH /people/{id}');
  const send = (body: { grants: null } | { isDisabled: boolean }, said: string) =>
    change.mutate({ params: { id }, body }, { onSuccess: () => showToast(said), onError: showProblem });
  return (
    <Page title={name} actions={<PersonState person={person} />}>
      <Sections>
        <Section title={texts.roles} hint={texts.rolesWhat}>
          {grants.length === 0 ? <p>{texts.noRoles}</p> : <Grants grants={grants} />}
          {grants.length === 0 ? null : (
            <p className="text-muted">
              {isInvited ? texts.rolesOfInvited : grantsBy === 'claims' ? texts.rolesByClaims : texts.rolesByHand}
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            <Button look={grants.length === 0 ? 'primary' : 'plain'} onClick={() => show('roles')}>
              {grants.length === 0 ? texts.give : texts.change}
            </Button>
            {grantsBy === 'hand' && !isInvited ? (
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
                subject === '' ? (
                  ''
                ) : (
                  <code key="subject" data-foreign>
                    {subject}
                  </code>
                ),
              ],
              [isInvited ? texts.added : texts.firstSeen, <Time key="first" at={createdAt} />],
              [texts.lastSignIn, isInvited ? '' : <Time key="last" at={lastSignInAt} />],
            ]}
          />
        </Section>
        <Section title={texts.access} hint={texts.accessWhat} isDanger={!isOwn}>
          {isOwn || !rights.isForAllSites ? (
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
      {shown === 'remove' ? (
        <ConfirmDialog
          title={texts.removeTitle({ name })}
          submit={texts.removeSubmit}
          send={() => ask('DELETE /people/{id}', { params: { id } })}
          toast={texts.removed({ name })}
          onDone={() => navigate('/admin/people', { replace: true })}
          onClose={() => show(null)}
        >
          <p>{texts.removeWhat}</p>
        </ConfirmDialog>
      ) : null}
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
