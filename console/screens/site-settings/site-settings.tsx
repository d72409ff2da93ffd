/** The settings of a site, its agents, and its removal. */
import texts from 'messages:siteSettings';
import type { UseQueryResult } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/client.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Section, Sections } from '../../ui/section.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { TagList } from '../../ui/tags-field.tsx';
import { Time } from '../../ui/time.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { AgentLink } from '../agents/agent-link.tsx';
import { AgentState, updateText } from '../agents/agent-state.tsx';
import { DiscoveryFacts, DiscoveryForm } from './discovery-form.tsx';
import { PlaceFacts, PlaceForm } from './place-form.tsx';
import { RemoveSite } from './remove-site.tsx';
import { RollOut } from './roll-out.tsx';
import { NameForm, TagsForm } from './site-form.tsx';
import { UpdatesFacts, UpdatesForm } from './updates-form.tsx';

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

type Agents = AnswerOf<'GET /sites/{site}/agents'>;

function AgentList({ site, agents }: { site: string; agents: UseQueryResult<Agents> }) {
  return (
    <Answered of={agents}>
      {({ agents: all, unreadable }) => (
        <>
          <UnreadableNote title={texts.unreadableAgents} entries={unreadable} />
          {all.length === 0 ? (
            <Empty title={texts.noAgents}>
              <p>{texts.noAgentsWhy}</p>
            </Empty>
          ) : (
            <ul
              className="[&_li]:grid [&_li]:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] max-700:[&_li]:grid-cols-1 [&_li]:items-center [&_li]:gap-y-0 [&_li]:gap-x-4 [&_li]:min-h-10 [&_li]:py-2 [&_li]:border-b [&_li]:border-line [&_li:last-child]:border-b-0"
              aria-label={texts.agents}
            >
              {all.map((agent) => (
                <li key={agent.id}>
                  <span className="grid min-w-0 [&_a]:py-0.5 [&_a]:text-text [&_a]:font-[550] [&_a]:no-underline [&_a:hover]:underline">
                    <AgentLink site={site} agent={agent} />
                  </span>
                  <AgentState agent={agent} />
                  <span className="text-muted text-sm">
                    {[agent.version ?? '', updateText(agent)].filter((part) => part !== '').join(', ')}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Answered>
  );
}
