/** One notification with its deliveries. */
import texts from 'messages:notifications';
import { useLocation } from 'wouter';
import type { Hook } from '../../../shared/api/hooks.ts';
import { useAnswer } from '../../api/queries.ts';
import { ActionButtons } from '../../ui/action.tsx';
import { Actor, useActors } from '../../ui/actor.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { wordsOf } from './chosen-events.ts';
import { Deliveries } from './deliveries.tsx';
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
