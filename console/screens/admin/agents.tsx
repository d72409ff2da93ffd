/** The agents of all sites, the most urgent first. */
import adminTexts from 'messages:admin';
import pageTexts from 'messages:agent';
import agentTexts from 'messages:agents';
import watchTexts from 'messages:watch';
import { Link } from 'wouter';
import type { AnswerOf } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useRights } from '../../api/rights.ts';
import { LinkButton } from '../../ui/button.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AgentLink } from '../agents/agent-link.tsx';
import { TONES, updateText } from '../agents/agent-state.tsx';
import { AdminPage } from './admin-page.tsx';
import cards from './cards.module.css';

type Site = AnswerOf<'GET /overview'>['sites'][number];
type Row = Site['agents'][number] & { site: Pick<Site, 'id' | 'name'> };

const texts = adminTexts.agents;
const URGENCY: Readonly<Record<Row['state'], number>> = { offline: 0, draining: 1, enrolling: 2, online: 3 };

export default function Agents() {
  const seesSites = useRights().may('devices:read');
  return (
    <AdminPage tab="agents" needs={seesSites ? texts.needs : texts.needsSites}>
      {seesSites ? <AgentTable /> : <Empty title={texts.needsSites} />}
    </AdminPage>
  );
}

function AgentTable() {
  const sites = usePages('GET /overview', { query: { limit: 200 } });
  const rights = useRights();
  return (
    <Answered of={sites}>
      {({ pages }) => {
        const rows = inOrder(pages.flatMap((page) => page.sites));
        if (rows.length === 0) {
          return (
            <Empty title={texts.none}>
              <p>{texts.noneWhy}</p>
              {rights.may('admin') && rights.isForAllSites ? (
                <LinkButton to="/add-site" look="primary">
                  {texts.add}
                </LinkButton>
              ) : null}
            </Empty>
          );
        }
        const online = rows.filter(({ state }) => state === 'online').length;
        return (
          <>
            <p className="text-muted">
              {online === rows.length ? texts.all({ count: online }) : texts.some({ online, count: rows.length })}
            </p>
            <div className={`${cards.cards} max-700:[&_table_td]:block max-700:[&_table_td]:h-auto ${cards.agents}`}>
              <Table label={texts.list} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
            </div>
            <MoreButton of={sites} />
          </>
        );
      }}
    </Answered>
  );
}

const COLUMNS: Column<Row>[] = [
  {
    heading: texts.agent,
    cell: (agent) => (
      <div className="grid min-w-[14ch] [&_a]:font-[550] [&_a]:text-text [&_a]:no-underline [&_a:hover]:underline">
        <AgentLink site={agent.site.id} agent={agent} isAcrossSites />
      </div>
    ),
  },
  {
    heading: texts.site,
    cell: ({ site: { id, name } }) => (
      <Link href={`/sites/${id}/devices`} className="text-text no-underline hover:underline" data-foreign>
        {name}
      </Link>
    ),
  },
  { heading: texts.state, cell: (agent) => <State agent={agent} /> },
  {
    heading: texts.version,
    cell: (agent) => [agent.version ?? '–', updateText(agent)].filter((part) => part !== '').join(', '),
  },
  { heading: texts.ring, cell: ({ ring }) => (ring === null ? '–' : agentTexts.shortRings[ring]) },
  {
    heading: texts.seen,
    cell: ({ state, since }) =>
      state === 'online' || state === 'draining' ? watchTexts.now : since === null ? texts.never : <Time at={since} />,
  },
];

function State({ agent: { state, offlineReason } }: { agent: Row }) {
  return (
    <div className="grid gap-0.5">
      <Status tone={TONES[state]}>{agentTexts.states[state]}</Status>
      {offlineReason === null ? null : <span className="text-muted">{pageTexts.shortWhy[offlineReason]}</span>}
    </div>
  );
}

function inOrder(sites: readonly Site[]): Row[] {
  const rows = sites.flatMap(({ id, name, agents }) => agents.map((agent) => ({ ...agent, site: { id, name } })));
  return rows.sort((a, b) => URGENCY[a.state] - URGENCY[b.state] || a.site.name.localeCompare(b.site.name));
}
