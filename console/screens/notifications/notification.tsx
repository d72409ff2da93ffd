/** One hook with its deliveries. */
import { useLocation } from 'wouter';
import { useAnswer } from '../../api/queries.ts';
import { useActors } from '../../ui/actor.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Deliveries } from './deliveries.tsx';
import { HookActions } from './hook-actions.tsx';
import { HookFacts } from './hook-facts.tsx';
import { HookState } from './hook-state.tsx';
import { texts } from './texts.ts';

export default function HookScreen({ site, id }: { site: string; id: string }) {
  const hook = useAnswer('GET /hooks/{hook}', { site, params: { hook: id } });
  const actors = useActors(site);
  const [, navigate] = useLocation();
  const all = `/sites/${site}/notifications`;
  return (
    <Page title={hook.data?.url ?? texts.title} actions={<LinkButton to={all}>{texts.toHooks}</LinkButton>}>
      <Answered of={hook}>
        {(one) => (
          <>
            <Card>
              <HookState hook={one} />
              <HookFacts hook={one} actors={actors} />
              <HookActions site={site} hook={one} onRemoved={() => navigate(all)} />
              {one.enabled ? null : <p className="muted">{texts.needsOn}</p>}
            </Card>
            <h2>{texts.deliveries}</h2>
            <p className="muted">{texts.deliveriesHow}</p>
            <Deliveries site={site} hook={one.id} isOn={one.enabled} />
          </>
        )}
      </Answered>
    </Page>
  );
}
