/** The settings of a site, its agents, and its removal. */
import texts from 'messages:siteSettings';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Section, Sections } from '../../ui/section.tsx';
import { Answered } from '../../ui/state.tsx';
import { TagList } from '../../ui/tags-field.tsx';
import { Time } from '../../ui/time.tsx';
import { AgentList } from './agent-list.tsx';
import { DiscoveryFacts, DiscoveryForm } from './discovery-form.tsx';
import { RemoveSite } from './remove-site.tsx';
import { RollOut } from './roll-out.tsx';
import { NameForm, PlaceFacts, PlaceForm, TagsForm, UpdatesFacts, UpdatesForm } from './site-form.tsx';

export default function SiteSettings({ site: id }: { site: string }) {
  const rights = useRights();
  const site = useAnswer('GET /sites/{site}', { params: { site: id } });
  const maySeeAgents = rights.may('nettools:run');
  const agents = useAnswer('GET /sites/{site}/agents', { params: { site: id } }, { when: maySeeAgents });
  const isAdmin = rights.may('admin');
  return (
    <Page title={texts.title}>
      <Answered of={site}>
        {({ name, tags, createdAt, discovery, timeZone, reachableAt, updates }) => (
          <Sections>
            <Section
              title={texts.name}
              hint={
                <>
                  {texts.id} <code>{id}</code>, {texts.created} <Time at={createdAt} />
                </>
              }
            >
              {isAdmin ? <NameForm site={id} name={name} /> : <p data-foreign>{name}</p>}
            </Section>
            <Section title={texts.tags} hint={texts.tagsWhat}>
              {isAdmin && rights.isForAllSites ? (
                <TagsForm site={id} tags={tags} />
              ) : tags.length === 0 ? (
                <p className="text-muted">{texts.noTags}</p>
              ) : (
                <TagList tags={tags} />
              )}
            </Section>
            <Section title={texts.discovery} hint={texts.discoveryWhat}>
              {isAdmin ? <DiscoveryForm site={id} discovery={discovery} /> : <DiscoveryFacts discovery={discovery} />}
            </Section>
            {maySeeAgents ? (
              <Section
                title={texts.agents}
                hint={texts.agentsWhat}
                action={isAdmin ? <LinkButton to={`/sites/${id}/agents/new`}>{texts.addAgent}</LinkButton> : null}
              >
                <AgentList site={id} agents={agents} />
              </Section>
            ) : null}
            <Section title={texts.updates} hint={texts.updatesWhat}>
              {isAdmin ? <UpdatesForm site={id} updates={updates} /> : <UpdatesFacts updates={updates} />}
              {updates.mode === 'auto' ? <RollOut /> : null}
            </Section>
            <Section title={texts.place} hint={texts.placeWhat}>
              {isAdmin ? (
                <PlaceForm site={id} timeZone={timeZone} reachableAt={reachableAt} />
              ) : (
                <PlaceFacts timeZone={timeZone} reachableAt={reachableAt} />
              )}
            </Section>
            {isAdmin && rights.isForAllSites ? (
              <Section title={texts.remove} hint={texts.removeWhat} isDanger>
                <RemoveSite site={id} name={name} agents={agents.data?.agents.length ?? null} />
              </Section>
            ) : null}
          </Sections>
        )}
      </Answered>
    </Page>
  );
}
