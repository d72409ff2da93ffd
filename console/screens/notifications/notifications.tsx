/** The hooks of a site: who is told of what happens, and whether that works. */
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Hook } from '../../../shared/api/hooks.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { useSiteName } from '../../api/site-name.ts';
import { useActors } from '../../ui/actor.tsx';
import type { KnownActors } from '../../ui/actor-name.ts';
import { Button } from '../../ui/button.tsx';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { HookActions } from './hook-actions.tsx';
import { SecretDialog } from './hook-dialogs.tsx';
import { HookFacts } from './hook-facts.tsx';
import { AddHook } from './hook-form.tsx';
import { HookState } from './hook-state.tsx';
import styles from './notifications.module.css';
import { texts } from './texts.ts';

type Shown = 'nothing' | 'add' | { secret: string };

export default function Hooks({ site }: { site: string }) {
  const hooks = useAnswer('GET /hooks', { site });
  const actors = useActors(site);
  const mayAdd = useRights().may('admin');
  const [shown, show] = useState<Shown>('nothing');
  const close = () => show('nothing');
  const addButton = mayAdd ? (
    <Button look="primary" onClick={() => show('add')}>
      <Plus aria-hidden="true" />
      {texts.add}
    </Button>
  ) : undefined;
  return (
    <Page title={texts.titleOfSite(useSiteName(site))} actions={addButton}>
      <p className="muted">{texts.intro}</p>
      <List
        of={hooks}
        pages={hooks.data && [hooks.data]}
        rows={({ hooks: all }) => all}
        keyOf={({ id }) => id}
        label={texts.title}
        item={(hook) => <HookRow site={site} hook={hook} actors={actors} />}
        empty={{ title: texts.none, hint: texts.noneWhy }}
        unreadable={texts.unreadable}
      />
      {shown === 'add' ? (
        <AddHook site={site} onAdded={(secret) => show(secret === null ? 'nothing' : { secret })} onClose={close} />
      ) : null}
      {typeof shown === 'object' ? <SecretDialog secret={shown.secret} onClose={close} /> : null}
    </Page>
  );
}

function HookRow({ site, hook, actors }: { site: string; hook: Hook; actors: KnownActors }) {
  const to = `/sites/${site}/notifications/${hook.id}`;
  return (
    <article className={styles.row} aria-label={hook.url}>
      <div className={styles.head}>
        <h2 data-foreign>
          <Link href={to}>{hook.url}</Link>
        </h2>
        <HookState hook={hook} />
      </div>
      <HookFacts hook={hook} actors={actors} />
      <HookActions site={site} hook={hook} />
      <div>
        <Link href={to} aria-label={texts.deliveriesOf(hook.url)}>
          {texts.deliveries}
        </Link>
      </div>
    </article>
  );
}
