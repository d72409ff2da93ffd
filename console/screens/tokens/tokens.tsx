/** Every token that the session may see: what it may do, and who made it. */
import { KeyRound, UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Token } from '../../../shared/api/records.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Actor, useActors } from '../../ui/actor.tsx';
import { Button } from '../../ui/button.tsx';
import { List } from '../../ui/list.tsx';
import { Empty } from '../../ui/state.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import cards from '../admin/cards.module.css';
import { MadeDialog } from './made-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { offeredRoles, roleOf } from './roles.ts';
import { texts } from './texts.ts';
import { type MadeToken, TokenForm, type TokenKind } from './token-form.tsx';
import styles from './tokens.module.css';

type Shown =
  | { dialog: 'make'; kind: TokenKind }
  | { dialog: 'made'; kind: TokenKind; made: MadeToken }
  | { dialog: 'revoke'; token: Token }
  | null;

export default function Tokens() {
  const rights = useRights();
  const tokens = useAnswer('GET /tokens', {}, { when: rights.may('admin') });
  const actors = useActors(null);
  const known = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm, when: rights.may('devices:read') });
  const nameOf = (site: string) => known.data?.sites.find(({ id }) => id === site)?.name ?? site;
  const own = rights.tokenId;
  const { data: maker } = useAnswer('GET /tokens/self', {}, { everyMs: POLL_MS.calm });
  const [shown, show] = useState<Shown>(null);
  const close = () => show(null);
  const mayMake = rights.may('admin') && maker !== undefined;
  const columns: Column<Token>[] = [
    { heading: texts.name, cell: (token) => <Name token={token} isOwn={token.id === own} /> },
    { heading: texts.may, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    {
      heading: texts.sites,
      cell: ({ sites }) => (
        <span className={styles.words}>
          {sites === '*' ? (
            texts.all
          ) : (
            <span title={sites.join(', ')} data-foreign>
              {sites.map(nameOf).join(', ')}
            </span>
          )}
        </span>
      ),
    },
    {
      heading: texts.createdBy,
      cell: ({ createdBy }) => (
        <span className={styles.words}>
          {createdBy === null ? (
            <span title={texts.firstMakerHow}>{texts.firstMaker}</span>
          ) : (
            <Actor id={createdBy} known={actors} />
          )}
        </span>
      ),
    },
    { heading: texts.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      heading: texts.lastUsed,
      cell: ({ lastUsedAt }) => (
        <span title={texts.lastUsedHow}>
          <Time at={lastUsedAt} />
        </span>
      ),
    },
    {
      heading: texts.actions,
      cell: (token) => (
        <Button aria-label={texts.revokeOf(token.name)} onClick={() => show({ dialog: 'revoke', token })}>
          {texts.revoke}
        </Button>
      ),
    },
  ];
  // Empty: the token is not known yet.
  if (own === '') return null;
  if (!rights.may('admin')) {
    return (
      <AdminPage tab="tokens">
        <Empty title={texts.needsAdmin} />
      </AdminPage>
    );
  }
  return (
    <AdminPage
      tab="tokens"
      actions={
        mayMake ? (
          <>
            <Button onClick={() => show({ dialog: 'make', kind: 'program' })}>
              <KeyRound aria-hidden="true" />
              {texts.make}
            </Button>
            {offeredRoles(maker).length === 0 ? null : (
              <Button look="primary" onClick={() => show({ dialog: 'make', kind: 'person' })}>
                <UserPlus aria-hidden="true" />
                {texts.invite}
              </Button>
            )}
          </>
        ) : undefined
      }
    >
      <p className="muted">{texts.intro}</p>
      <div className={`${cards.cards} ${cards.tokens}`}>
        <List
          of={tokens}
          pages={tokens.data && [tokens.data]}
          rows={({ tokens: all }) => inOrder(all, own)}
          keyOf={({ id }) => id}
          label={texts.list}
          columns={columns}
          empty={{ title: texts.none }}
        />
      </div>
      {shown?.dialog === 'make' && maker !== undefined ? (
        <TokenForm
          kind={shown.kind}
          maker={maker}
          onMade={(made) => show({ dialog: 'made', kind: shown.kind, made })}
          onClose={close}
        />
      ) : null}
      {shown?.dialog === 'made' ? (
        <MadeDialog made={shown.made} isInvitation={shown.kind === 'person'} onClose={close} />
      ) : null}
      {shown?.dialog === 'revoke' ? (
        <RevokeDialog token={shown.token} isOwn={shown.token.id === own} onClose={close} />
      ) : null}
    </AdminPage>
  );
}

/** The token of this session first, the others by name. */
function inOrder(tokens: readonly Token[], own: string): Token[] {
  return [...tokens].sort((a, b) => Number(b.id === own) - Number(a.id === own) || a.name.localeCompare(b.name));
}

function Name({ token: { id, name }, isOwn }: { token: Token; isOwn: boolean }) {
  return (
    <div className={styles.name}>
      <strong data-foreign>{name}</strong>
      {isOwn ? <span className={styles.own}>{texts.own}</span> : null}
      <code className="muted">{id}</code>
    </div>
  );
}

function Scopes({ scopes }: { scopes: Token['scopes'] }) {
  const role = roleOf(scopes);
  if (role !== null) return <span title={scopes.join(', ')}>{texts.roles[role]}</span>;
  return (
    <ul className={styles.scopes}>
      {scopes.map((scope) => (
        <li key={scope} title={texts.scopes[scope]}>
          {scope}
        </li>
      ))}
    </ul>
  );
}
