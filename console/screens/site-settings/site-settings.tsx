/** What can be set for a site, its agents, and its end. */
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Card, Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { AgentList } from './agent-list.tsx';
import { DiscoveryFacts, DiscoveryForm } from './discovery-form.tsx';
import { NameForm } from './name-form.tsx';
import { PlaceFacts, PlaceForm } from './place-form.tsx';
import { RemoveSite } from './remove-site.tsx';
import styles from './site-settings.module.css';
import { texts } from './texts.ts';
import { RollOut, UpdatesFacts, UpdatesForm } from './updates-form.tsx';

export default function SiteSettings({ site: id }: { site: string }) {
  const rights = useRights();
  const site = useAnswer('GET /sites/{site}', { params: { site: id } });
  const agents = useAnswer('GET /sites/{site}/agents', { params: { site: id } }, { when: rights.may('nettools:run') });
  const isAdmin = rights.may('admin');
  return (
    <Page title={texts.title(site.data?.name ?? id)}>
      <Answered of={site}>
        {({ name, createdAt, discovery, timeZone, reachableAt, updates }) => (
          <>
            <div className={styles.halves}>
              <div className={styles.stack}>
                <Card title={texts.name}>
                  {isAdmin ? <NameForm site={id} name={name} /> : <p data-foreign>{name}</p>}
                  <p className="muted">
                    {texts.id} <code>{id}</code> · {texts.created} <Time at={createdAt} />
                  </p>
                </Card>
                <Card title={texts.place}>
                  {isAdmin ? (
                    <PlaceForm site={id} timeZone={timeZone} reachableAt={reachableAt} />
                  ) : (
                    <PlaceFacts timeZone={timeZone} reachableAt={reachableAt} />
                  )}
                </Card>
                <Card title={texts.updates}>
                  {isAdmin ? <UpdatesForm site={id} updates={updates} /> : <UpdatesFacts updates={updates} />}
                  {updates.mode === 'auto' ? (
                    <>
                      <p className="muted">{texts.updatesWhat}</p>
                      <RollOut />
                    </>
                  ) : null}
                </Card>
              </div>
              <Card title={texts.discovery}>
                <p className="muted">{texts.discoveryWhat}</p>
                {isAdmin ? <DiscoveryForm site={id} discovery={discovery} /> : <DiscoveryFacts discovery={discovery} />}
              </Card>
            </div>
            {rights.may('nettools:run') ? (
              <Card title={texts.agents}>
                <AgentList site={id} agents={agents} />
              </Card>
            ) : null}
            {isAdmin && rights.isForAllSites ? (
              <Card title={texts.remove}>
                <p>{texts.removeWhat}</p>
                <RemoveSite site={id} name={name} agents={agents.data?.agents.length ?? null} />
              </Card>
            ) : null}
          </>
        )}
      </Answered>
    </Page>
  );
}
