/** The tokens that the session may see. */
import common from 'messages:common';
import roleTexts from 'messages:roles';
import shareTexts from 'messages:shares';
import texts from 'messages:tokens';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { type AnswerOf, ask } from '../../api/client.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { signOut } from '../../api/session.ts';
import { selectionText } from '../../text/site-texts.ts';
import { Actor, useActors, usePeople } from '../../ui/actor.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { List } from '../../ui/list.tsx';
import { Options } from '../../ui/options.tsx';
import type { Column } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import cards from '../admin/cards.module.css';
import { MakeToken } from './invite.tsx';
import { MadeDialog } from './made-dialog.tsx';
import { roleOf } from './roles.ts';
import type { MadeToken } from './token-form.tsx';

const WORDS = 'inline-block min-w-[14ch]';

type Token = AnswerOf<'GET /tokens'>['tokens'][number];

type Shown =
  | { dialog: 'made'; made: MadeToken }
  | { dialog: 'rotate'; token: Token }
  | { dialog: 'revoke'; token: Token }
  | null;

export default function Tokens() {
  const rights = useRights();
  const tokens = useAnswer('GET /tokens', {}, { when: rights.may('admin') });
  const actors = useActors(null);
  const { nameOf } = useKnownSites();
  const [purpose, setPurpose] = useState<Token['purpose']>('api');
  const own = rights.tokenId;
  const [shown, show] = useState<Shown>(null);
  const close = () => show(null);
  const columns: Column<Token>[] = [
    { heading: texts.name, cell: (token) => <Name token={token} isOwn={token.id === own} /> },
    {
      heading: texts.may,
      cell: ({ scopes, share }) =>
        share === undefined ? (
          <Scopes scopes={scopes} />
        ) : (
          <span title={share.addresses ? shareTexts.addresses : undefined}>{shareTexts.views[share.view]}</span>
        ),
    },
    {
      heading: texts.sites,
      cell: ({ sites }) => (
        <span className={WORDS} title={sites === '*' ? undefined : sites.join(', ')} data-foreign>
          {selectionText(sites, nameOf)}
        </span>
      ),
    },
    {
      heading: texts.createdBy,
      cell: ({ createdBy }) => (
        <span className={WORDS}>
          {createdBy === null ? (
            <span title={texts.firstMakerHow}>{texts.firstMaker}</span>
          ) : (
            <Actor id={createdBy} known={actors} />
          )}
        </span>
      ),
    },
    {
      heading: texts.expires,
      cell: ({ expiresAt, expiresSoon }) => (
        <div className="grid justify-items-start gap-0.5">
          <Time at={expiresAt} />
          {expiresSoon && purpose !== 'session' ? <Chip tone="warn">{texts.endsSoon}</Chip> : null}
        </div>
      ),
    },
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
        <div className="flex gap-1">
          <Button aria-label={texts.revokeOf({ name: token.name })} onClick={() => show({ dialog: 'revoke', token })}>
            {texts.revoke}
          </Button>
          {token.purpose === 'api' && token.person === rights.person ? (
            <IconButton
              label={texts.rotate({ name: token.name })}
              icon={<RefreshCw />}
              onClick={() => show({ dialog: 'rotate', token })}
            />
          ) : null}
        </div>
      ),
    },
  ];
  return (
    <AdminPage
      tab="tokens"
      needs={texts.needsAdmin}
      actions={
        <>
          <MakeToken kind="program" />
          <MakeToken kind="person" isPrimary />
        </>
      }
    >
      <p className="text-muted">{texts.intro}</p>
      <Tabs label={texts.purpose} tabs={texts.purposes} value={purpose} onChange={setPurpose} />
      <div className={`${cards.cards} max-700:[&_table_td]:block max-700:[&_table_td]:h-auto ${cards.tokens}`}>
        <List
          of={tokens}
          pages={tokens.data && [tokens.data]}
          rows={({ tokens: all }) => inOrder(all, own).filter((token) => token.purpose === purpose)}
          keyOf={({ id }) => id}
          label={texts.list}
          columns={columns}
          empty={{ title: texts.noneOf[purpose], hint: texts.noneOfHints[purpose] }}
        />
      </div>
      {shown?.dialog === 'made' ? <MadeDialog made={shown.made} kind="rotated" onClose={close} /> : null}
      {shown?.dialog === 'rotate' ? (
        <RotateDialog token={shown.token} onMade={(made) => show({ dialog: 'made', made })} onClose={close} />
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

function Name({ token: { id, name, person }, isOwn }: { token: Token; isOwn: boolean }) {
  const people = usePeople();
  return (
    <div className="flex flex-wrap items-center gap-x-2 min-w-[16ch]">
      <strong data-foreign>{name}</strong>
      {isOwn ? <span className="px-2 py-0 rounded-[10px] bg-selected text-xs">{texts.own}</span> : null}
      <span className="flex basis-full flex-wrap items-baseline gap-x-2">
        {person === null ? null : (
          <Link href={`/admin/people/${person}`} title={texts.whose} data-foreign>
            {people.get(person) ?? person}
          </Link>
        )}
        <code className="text-muted">{id}</code>
      </span>
    </div>
  );
}

function Scopes({ scopes }: { scopes: Token['scopes'] }) {
  const role = roleOf(scopes);
  if (role !== null) return <span title={scopes.join(', ')}>{roleTexts.names[role]}</span>;
  return (
    <ul className="flex flex-wrap gap-1 min-w-[16ch] [&_li]:px-2 [&_li]:border [&_li]:border-line [&_li]:rounded-[10px] [&_li]:text-sm [&_li]:whitespace-nowrap">
      {scopes.map((scope) => (
        <li key={scope} title={texts.scopes[scope]}>
          {scope}
        </li>
      ))}
    </ul>
  );
}

interface Props {
  token: Token;
  onClose: () => void;
}

type Revocation = AnswerOf<'DELETE /tokens/{id}'>;

/** @param isOwn whether it is the token of this session */
function RevokeDialog({ token: { id, name }, isOwn, onClose }: Props & { isOwn: boolean }) {
  const [revoked, setRevoked] = useState<Revocation | null>(null);
  function onDone(answer: Revocation): void {
    if (isOwn) signOut('refused');
    else if (answer.running.length > 0 || answer.truncated) setRevoked(answer);
    else {
      showToast(texts.revoked({ name }));
      onClose();
    }
  }
  if (revoked !== null) return <Revoked name={name} {...revoked} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={texts.revokeTitle}
      submit={texts.revoke}
      send={() => ask('DELETE /tokens/{id}', { params: { id } })}
      onDone={onDone}
      onClose={onClose}
    >
      <p data-foreign className="wrap-anywhere">
        {texts.revokeWhat({ name })}
      </p>
      {isOwn ? (
        <p role="alert" className="note">
          {texts.revokeOwn}
        </p>
      ) : null}
    </ConfirmDialog>
  );
}

function Revoked({ name, running, truncated, onClose }: Revocation & { name: string; onClose: () => void }) {
  return (
    <Dialog title={texts.revoked({ name })} onClose={onClose}>
      <p>{texts.goesOn({ count: running.length })}</p>
      <ul className="grid gap-1 mt-2 wrap-anywhere">
        {running.map((job) => (
          <li key={job}>
            <Link href={`/sites/${job.slice(0, job.indexOf('.'))}/runs/${job}`}>{job}</Link>
          </li>
        ))}
      </ul>
      {truncated ? <p>{texts.goesOnMore}</p> : null}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

type Overlap = keyof typeof texts.overlaps;

function RotateDialog({ token: { id, name }, onMade, onClose }: Props & { onMade: (made: MadeToken) => void }) {
  const form = useForm({
    route: 'POST /tokens/{id}/rotate',
    question: { params: { id } },
    first: { overlapHours: '0' as Overlap },
    body: ({ overlapHours }) => ({ overlapHours: Number(overlapHours) }),
    onDone: onMade,
  });
  return (
    <FormDialog form={form} title={texts.rotateTitle({ name })} submit={texts.rotateSubmit} onClose={onClose}>
      <p>{texts.rotateWhat}</p>
      <SelectField label={texts.overlap} {...form.text('overlapHours')}>
        <Options of={texts.overlaps} />
      </SelectField>
    </FormDialog>
  );
}
