/** One notification with its deliveries. */

import eventNames from 'messages:eventNames';
import texts from 'messages:notifications';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Delivery, DeliveryState, Hook } from '../../../shared/api/hooks.ts';
import { usePages } from '../../api/pages.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { ActionButtons } from '../../ui/action.tsx';
import { Actor, useActors } from '../../ui/actor.tsx';
import { Facts } from '../../ui/facts.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { wordsOf } from './chosen-events.ts';
import { useActions } from './notification-actions.tsx';
import { NotificationState } from './notification-state.tsx';
import { serviceName, serviceOf, titleOf } from './services.tsx';

export default function NotificationScreen({ site, id }: { site: string; id: string }) {
  const hook = useAnswer('GET /hooks/{hook}', { site, params: { hook: id } });
  if (hook.data !== undefined) return <One site={site} hook={hook.data} />;
  return (
    <Page title={texts.title}>
      <Answered of={hook}>{() => null}</Answered>
    </Page>
  );
}

function One({ site, hook }: { site: string; hook: Hook }) {
  const [, navigate] = useLocation();
  const actors = useActors(site);
  const actions = useActions({ site, hook, onRemoved: () => navigate(`/sites/${site}/notifications`) });
  return (
    <Page
      title={titleOf(hook)}
      actions={
        <>
          <ActionButtons actions={actions.first} />
          {actions.menu}
        </>
      }
    >
      <div className="grid gap-3 min-w-0">
        {actions.testResult}
        <Card>
          <NotificationState hook={hook} />
          <Facts
            isInLine
            facts={[
              [texts.sends, wordsOf(hook) || texts.said.noEvents],
              [
                texts.where,
                <span key="where" className="wrap-anywhere" data-foreign>
                  {serviceName(serviceOf(hook.format))}, {hook.url}
                </span>,
              ],
              [
                texts.added,
                <span key="added">
                  <Time at={hook.createdAt} /> · <Actor id={hook.createdBy} known={actors} />
                </span>,
              ],
            ]}
          />
        </Card>
        <Deliveries site={site} hook={hook.id} />
      </div>
    </Page>
  );
}

const STATES = { all: texts.all, ...texts.deliveryStates };

/** The deliveries of a notification, sent and failed. */
function Deliveries({ site, hook }: { site: string; hook: string }) {
  const [state, setState] = useState<DeliveryState | 'all'>('all');
  const query = { limit: 50, ...(state === 'all' ? {} : { state }) };
  const pages = usePages(
    'GET /hooks/{hook}/deliveries',
    { site, params: { hook }, query },
    { everyMs: (read) => (read.some(({ deliveries }) => deliveries.some(isSoon)) ? POLL_MS.lively : POLL_MS.usual) },
  );
  return (
    <section className="grid gap-2 min-w-0 mt-2" aria-label={texts.deliveries}>
      <div className="flex flex-wrap items-center gap-x-2 [&_fieldset]:ms-auto [&>span]:text-sm max-700:[&_fieldset]:-ms-2 max-700:[&_fieldset]:me-auto">
        <h2>{texts.deliveries}</h2>
        <span className="text-muted">{texts.deliveriesHow}</span>
        <Tabs label={texts.show} tabs={STATES} value={state} onChange={setState} />
      </div>
      <Answered of={pages}>
        {({ pages: read }) => {
          const all = read.flatMap(({ deliveries }) => deliveries);
          return (
            <>
              <UnreadableNote
                title={texts.unreadableDeliveries}
                entries={read.flatMap(({ unreadable }) => unreadable)}
              />
              {all.length === 0 ? (
                <Empty title={state === 'all' ? texts.deliveriesNone : texts.deliveriesNoMatch}>
                  {state === 'all' ? <p>{texts.deliveriesNoneHow}</p> : null}
                </Empty>
              ) : (
                <ul className="card min-w-0" aria-label={texts.deliveries}>
                  {all.map((delivery) => (
                    <DeliveryRow key={delivery.id} delivery={delivery} />
                  ))}
                </ul>
              )}
              <MoreButton of={pages} />
            </>
          );
        }}
      </Answered>
    </section>
  );
}

const SOON_MS = 60_000;

/** A delivery that waits for the end of quiet hours is polled less often. */
function isSoon({ state, nextAttemptAt }: Delivery): boolean {
  return state === 'pending' && nextAttemptAt !== null && !isLater(nextAttemptAt);
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const { event, device, at } = delivery;
  const what = `${eventNames[event]}${device === null ? '' : ` · ${device}`}`;
  return (
    <li
      className={`grid grid-cols-[150px_minmax(0,1fr)_minmax(0,auto)] items-center gap-x-3 min-h-[calc(var(--row-height)_+_6px)] pr-2 pl-4 py-0.5 text-sm max-700:grid-cols-[minmax(0,1fr)_var(--control-height)] max-700:py-2 not-first:border-t not-first:border-line`}
    >
      <span className="text-muted max-700:row-2 max-700:col-1 max-700:text-xs">
        <Time at={at} />
      </span>
      <span className="truncate max-700:row-1 max-700:col-1" title={what}>
        {eventNames[event]}
        {device === null ? null : <span data-foreign> · {device}</span>}
      </span>
      <span className="min-w-0 wrap-anywhere max-700:[grid-area:1/2/span_3]">
        <Outcome {...delivery} />
      </span>
    </li>
  );
}

function Outcome({ state, status, reason, attempts, nextAttemptAt }: Delivery) {
  if (state === 'delivered') return <span className="text-muted">{texts.deliveryStates.delivered}</span>;
  const why = reason ?? (status === null ? null : String(status));
  if (state === 'dead') {
    return (
      <Status tone="bad">
        <span data-foreign>{[texts.deliveryStates.dead, why].filter(Boolean).join(': ')}</span>
      </Status>
    );
  }
  const next = nextAttemptAt === null ? null : <Moment at={nextAttemptAt} />;
  if (attempts === 0) {
    return (
      <span className="text-muted">
        {isLater(nextAttemptAt) ? texts.waitsUntil : texts.deliveryStates.pending}{' '}
        {isLater(nextAttemptAt) ? next : null}
      </span>
    );
  }
  return (
    <Status tone="warn">
      <span className="text-muted" data-foreign>
        {[why, texts.attempts({ count: attempts })].filter(Boolean).join(', ')}; {texts.triesAgain} {next}
      </span>
    </Status>
  );
}

function isLater(time: string | null): boolean {
  return time !== null && Date.parse(time) > Date.now() + SOON_MS;
}
