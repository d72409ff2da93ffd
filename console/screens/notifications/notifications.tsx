/** The notifications of a site: where its events go. */
import texts from 'messages:notifications';
import { Bell, CalendarDays, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Hook } from '../../../shared/api/hooks.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { wordsOf } from './chosen-events.ts';
import { SecretDialog, useActions } from './notification-actions.tsx';
import { AddNotification } from './notification-form.tsx';
import { NotificationState } from './notification-state.tsx';
import { receiverOf, ServiceIcon, serviceName, serviceOf, titleOf } from './services.tsx';

type Shown = 'nothing' | 'add' | 'report' | { secret: string };

export default function Notifications({ site }: { site: string }) {
  const { tokenId, may } = useRights();
  const mayAdmin = may('admin');
  const hooks = useAnswer('GET /hooks', { site }, { when: mayAdmin });
  const [shown, show] = useState<Shown>('nothing');
  const close = () => show('nothing');
  const hasSome = (hooks.data?.hooks.length ?? 0) > 0;
  const addButtons = (label: string) => (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => show('report')} icon={<CalendarDays />}>
        {texts.report}
      </Button>
      <Button look="primary" onClick={() => show('add')} icon={<Plus />}>
        {label}
      </Button>
    </div>
  );
  if (!mayAdmin && tokenId !== '') {
    return (
      <Page title={texts.title}>
        <Empty title={texts.forbidden} />
      </Page>
    );
  }
  return (
    <Page title={texts.title} actions={hasSome ? addButtons(texts.add) : undefined}>
      <div className="grid gap-3 min-w-0">
        <Answered of={hooks}>
          {({ hooks: all, unreadable }) => (
            <>
              <UnreadableNote title={texts.unreadable} entries={unreadable} />
              {all.length === 0 ? (
                <Empty title={texts.none} icon={Bell}>
                  <p>{texts.noneWhy}</p>
                  {addButtons(texts.addFirst)}
                </Empty>
              ) : (
                <>
                  <p className="text-muted">{texts.intro}</p>
                  <ul className="card min-w-0" aria-label={texts.list}>
                    {all.map((hook) => (
                      <Row key={hook.id} site={site} hook={hook} />
                    ))}
                  </ul>
                </>
              )}
            </>
          )}
        </Answered>
      </div>
      {shown === 'add' || shown === 'report' ? (
        <AddNotification
          site={site}
          isReport={shown === 'report'}
          onAdded={(secret) => show(secret === null ? 'nothing' : { secret })}
          onClose={close}
        />
      ) : null}
      {typeof shown === 'object' ? <SecretDialog secret={shown.secret} onClose={close} /> : null}
    </Page>
  );
}

function Row({ site, hook }: { site: string; hook: Hook }) {
  const { menu, testResult } = useActions({ site, hook });
  const service = serviceOf(hook.format);
  const title = titleOf(hook);
  return (
    <li
      className="grid grid-cols-[auto_minmax(0,1fr)_auto_auto] items-center gap-y-1 gap-x-3 pr-3 pl-4 py-3 max-700:grid-cols-[auto_minmax(0,1fr)_auto] max-700:ps-3 max-700:pe-2 not-first:border-t not-first:border-line"
      data-off={!hook.enabled || undefined}
    >
      <ServiceIcon service={service} />
      <div className="grid gap-0.5 min-w-0">
        <div className="flex flex-wrap items-baseline gap-x-2 text-sm wrap-anywhere [&_a]:text-md [&_a]:font-semibold [&_a]:no-underline [&_a]:text-text [&_a:hover]:underline">
          <Link href={`/sites/${site}/notifications/${hook.id}`} data-foreign>
            {title}
          </Link>
          <span className="text-muted">{whereOf(hook)}</span>
        </div>
        <div className="text-sm wrap-anywhere text-muted">{wordsOf(hook) || texts.said.noEvents}</div>
        {testResult}
      </div>
      <div className="text-sm text-end max-700:[grid-area:2/2/auto/-1] max-700:text-start">
        <NotificationState hook={hook} />
      </div>
      {menu}
    </li>
  );
}

/** The receiver; behind the service where the title is a name. */
function whereOf({ name, format, url }: Hook): string {
  const receiver = receiverOf(url);
  return name === null ? receiver : `${serviceName(serviceOf(format))} · ${receiver}`;
}
