/** Many agents with one key: the hosts that have asked, and the keys by which they do. */
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Claim, ClaimKey } from '../../../shared/api/claims.ts';
import { CLAIM_STATES } from '../../../shared/words.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { usePages } from '../../api/pages.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField } from '../../ui/field.tsx';
import { FormDialog, useConfirmation } from '../../ui/form.tsx';
import { List } from '../../ui/list.tsx';
import { Empty } from '../../ui/state.tsx';
import type { Column } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import cards from '../admin/cards.module.css';
import styles from './claims.module.css';
import { KeyForm, MadeKey } from './key-form.tsx';
import { LetInDialog } from './let-in-dialog.tsx';
import { keyText, texts } from './texts.ts';

type State = Claim['state'];
type Made = AnswerOf<'POST /claim-keys'>;

const STATES = Object.fromEntries(CLAIM_STATES.map((state) => [state, texts.states[state]])) as Record<State, string>;

export default function Claims() {
  const rights = useRights();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  // Empty: the token is not known yet.
  if (rights.tokenId === '') return null;
  if (!rights.may('admin')) {
    return (
      <AdminPage tab="agents">
        <Empty title={texts.needs} />
      </AdminPage>
    );
  }
  return (
    <AdminPage
      tab="agents"
      title={texts.title}
      actions={
        <Button look="primary" onClick={() => setMaking(true)}>
          <KeyRound aria-hidden="true" />
          {texts.make}
        </Button>
      }
    >
      <p className="muted">{texts.intro}</p>
      <Hosts />
      <Keys />
      {isMaking ? (
        <KeyForm
          onMade={(answer) => {
            setMaking(false);
            setMade(answer);
          }}
          onClose={() => setMaking(false)}
        />
      ) : null}
      {made === null ? null : <MadeKey made={made} onClose={() => setMade(null)} />}
    </AdminPage>
  );
}

function Hosts() {
  const [state, setState] = useState<State>('waiting');
  const claims = usePages('GET /claims', { query: { state, limit: 100 } });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isLettingIn, setLettingIn] = useState(false);
  const refuse = useChange('POST /claims/refuse');
  const { nameOf } = useKnownSites();
  const keys = useAnswer('GET /claim-keys');
  const all = claims.data?.pages.flatMap((page) => page.claims) ?? [];
  // What was decided meanwhile is not there any more.
  const ids = all.map(({ id }) => id).filter((id) => chosen.includes(id));
  const isWaiting = state === 'waiting';
  const toggle = (id: string) => setChosen(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]);
  const columns: Column<Claim>[] = [
    {
      heading: texts.host,
      cell: (claim) =>
        isWaiting ? (
          <CheckField
            label={<Host claim={claim} />}
            checked={ids.includes(claim.id)}
            onChange={() => toggle(claim.id)}
          />
        ) : (
          <Host claim={claim} />
        ),
    },
    {
      heading: texts.networks,
      cell: ({ host: { addresses, networks } }) => (
        <span data-foreign title={addresses.join(', ')}>
          {(networks.length === 0 ? addresses : networks).join(', ')}
        </span>
      ),
    },
    { heading: texts.from, cell: ({ sourceAddress }) => <span data-foreign>{sourceAddress ?? '–'}</span> },
    {
      heading: texts.key,
      cell: ({ key }) => (
        <span data-foreign>{keys.data?.keys.find(({ id }) => id === key)?.name ?? key.slice(0, 8)}</span>
      ),
    },
    {
      heading: texts.site,
      cell: ({ site, agent }) => (
        <span data-foreign>
          {site === null ? texts.ownSite : [nameOf(site), agent ?? ''].filter(Boolean).join(' · ')}
        </span>
      ),
    },
    { heading: texts.claimed, cell: ({ claimedAt, decidedAt }) => <Time at={isWaiting ? claimedAt : decidedAt} /> },
  ];
  return (
    <div className={styles.part}>
      <div className={styles.bar}>
        <h2>{texts.hosts}</h2>
        <Tabs label={texts.state} tabs={STATES} value={state} onChange={setState} />
      </div>
      {isWaiting && all.length > 0 ? (
        <div className={styles.bar} role="toolbar" aria-label={texts.decide}>
          <CheckField
            label={texts.all(all.length)}
            checked={ids.length === all.length}
            onChange={({ target }) => setChosen(target.checked ? all.map(({ id }) => id) : [])}
          />
          <div className="actions">
            <Button look="primary" disabled={ids.length === 0} onClick={() => setLettingIn(true)}>
              {texts.letIn(ids.length)}
            </Button>
            <Button
              disabled={ids.length === 0 || refuse.isPending}
              onClick={() =>
                refuse.mutate(
                  { body: { ids: ids.slice(0, MOST) } },
                  { onSuccess: ({ claims: done }) => showToast(texts.refused(done.length)), onError: showProblem },
                )
              }
            >
              {texts.refuse}
            </Button>
          </div>
        </div>
      ) : null}
      <div className={`${cards.cards} ${cards.claims}`}>
        <List
          of={claims}
          pages={claims.data?.pages}
          rows={(page) => page.claims}
          keyOf={({ id }) => id}
          label={texts.hosts}
          columns={columns}
          empty={{ title: texts.noneOf[state], hint: isWaiting ? texts.noneWhy : null }}
          unreadable={texts.unreadable}
        />
      </div>
      {isLettingIn && ids.length > 0 ? (
        <LetInDialog
          claims={all.filter(({ id }) => ids.includes(id)).slice(0, MOST)}
          onClose={() => setLettingIn(false)}
        />
      ) : null}
    </div>
  );
}

/** The most about which one request decides. */
const MOST = 100;

function Host({ claim: { host } }: { claim: Claim }) {
  return (
    <span className={styles.host}>
      <strong data-foreign>{host.name}</strong>
      <span className="muted" data-foreign>
        {host.platform}
      </span>
    </span>
  );
}

function Keys() {
  const keys = useAnswer('GET /claim-keys');
  const [revoking, setRevoking] = useState<ClaimKey | null>(null);
  const { nameOf } = useKnownSites();
  const columns: Column<ClaimKey>[] = [
    {
      heading: texts.key,
      cell: ({ name, approve }) => (
        <span className={styles.host}>
          <strong data-foreign>{name}</strong>
          <span className="muted">{texts.approvals[approve]}</span>
        </span>
      ),
    },
    { heading: texts.where, cell: (key) => <span data-foreign>{keyText(key, nameOf)}</span> },
    { heading: texts.used, cell: ({ used, uses }) => texts.usedOf(used, uses) },
    {
      heading: texts.ends,
      cell: ({ state, expiresAt }) => (state === 'open' ? <Time at={expiresAt} /> : texts.keyStates[state]),
    },
    {
      heading: texts.actions,
      cell: (key) =>
        key.state === 'revoked' ? null : (
          <Button aria-label={texts.revokeOf(key.name)} onClick={() => setRevoking(key)}>
            {texts.revoke}
          </Button>
        ),
    },
  ];
  return (
    <div className={styles.part}>
      <h2>{texts.keys}</h2>
      <List
        of={keys}
        pages={keys.data && [keys.data]}
        rows={({ keys: all }) => all}
        keyOf={({ id }) => id}
        label={texts.keys}
        columns={columns}
        empty={{ title: texts.noKeys, hint: texts.noKeysWhy }}
        unreadable={texts.unreadable}
      />
      {revoking === null ? null : <RevokeDialog claimKey={revoking} onClose={() => setRevoking(null)} />}
    </div>
  );
}

function RevokeDialog({ claimKey: { id, name }, onClose }: { claimKey: ClaimKey; onClose: () => void }) {
  const form = useConfirmation({
    send: () => ask('DELETE /claim-keys/{id}', { params: { id } }),
    toast: texts.revoked(name),
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={texts.revokeOf(name)} submit={texts.revoke} look="danger" onClose={onClose}>
      <p>{texts.revokeWhat}</p>
    </FormDialog>
  );
}
