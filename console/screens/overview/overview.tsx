/** One site at a glance: what needs attention, the last day, numbers, changes and agents. */
import commandTexts from 'messages:commands';
import texts from 'messages:overview';
import siteTexts from 'messages:sites';
import { Link } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { useSiteName } from '../../api/site-name.ts';
import { JobRequest } from '../../commands/job-request.tsx';
import { resultText } from '../../commands/result-text.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { Card, Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { Time } from '../../ui/time.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { AgentLink } from '../agents/agent-link.tsx';
import { TONES, updateText } from '../agents/agent-state.tsx';
import { ShortChanges } from '../changes/change-rows.tsx';
import { ShareButton } from '../shares/share-button.tsx';
import { isEverWatched } from '../sites/attention.ts';
import { DeviceTile } from '../sites/first-devices.tsx';
import { NeedsAttention } from './attention.tsx';
import { CardHead, Rows, Since, SMALL } from './card-head.tsx';
import { DayCard } from './day-card.tsx';
import { FirstRun } from './first-run/first-run.tsx';
import { mbpsText } from './mbps-text.ts';
import { withoutRoutine } from './rows.ts';

export default function Overview({ site: id }: { site: string }) {
  const name = useSiteName(id);
  const overview = useAnswer('GET /overview', { site: id });
  const { data: all } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  const rights = useRights();
  return (
    <Page title={name} actions={<ShareButton site={id} view="status" />}>
      <Answered of={overview}>
        {({ sites: [site], unreadable }) =>
          site === undefined ? (
            <UnreadableNote title={siteTexts.unreadable} entries={unreadable} />
          ) : (
            <>
              <NeedsAttention site={site} />
              {all?.sites.length === 1 ? <FirstRun sites={[site]} /> : null}
              {isEverWatched(site) ? <DayCard site={site} /> : null}
              <SiteNumbers site={site} />
              <div className="grid grid-cols-[minmax(0,2fr)_minmax(280px,1fr)] items-start gap-4 max-900:grid-cols-1">
                <Card title={texts.changed}>
                  <ShortChanges site={id} />
                </Card>
                <div className="grid gap-4 min-w-0">
                  {site.agents.length === 0 ? null : <AgentsCard site={site} mayAdd={rights.may('admin')} />}
                  {rights.may('nettools:run') ? <RunsCard site={id} /> : null}
                </div>
              </div>
            </>
          )
        }
      </Answered>
    </Page>
  );
}

/** Four numbers of a site, each with a link. */
function SiteNumbers({ site }: { site: SiteOverview }) {
  const { id, devices, unknown, internet } = site;
  const list = (status: string) => `/sites/${id}/devices?status=${status}`;
  const { speed } = internet;
  return (
    <section aria-label={texts.numbers}>
      <Tiles>
        <Tile
          isSmall
          label={texts.online}
          value={[
            devices === null ? '–' : numberText(devices.online),
            devices && <small key="all">{texts.of({ all: devices.my })}</small>,
          ]}
          about={devices === null ? texts.counting : unknown ? texts.unknown({ count: unknown }) : undefined}
          to={list('my')}
        />
        <DeviceTile isSmall sites={[site]} status="down" to={list('down')} />
        <DeviceTile isSmall sites={[site]} status="new" to={list('new')} />
        {speed === null ? (
          <Tile isSmall label={texts.internet} value="–" about={texts.notMeasured} to={`/sites/${id}/internet`} />
        ) : (
          <Tile
            isSmall
            label={`${texts.internet}, ${texts.perSecond}`}
            value={texts.speed({ down: mbpsText(speed.downMbps), up: mbpsText(speed.upMbps) })}
            about={
              <>
                {texts.ping({ ms: measuredText(speed.pingMs) })}, <Time at={speed.at} />
              </>
            }
            tone={internet.lostSince !== null ? 'bad' : speed.slowSince === null ? undefined : 'warn'}
            to={`/sites/${id}/internet`}
          />
        )}
      </Tiles>
    </section>
  );
}

type Agent = SiteOverview['agents'][number];

/** The agents of a site and their state. */
function AgentsCard({ site: { id, agents }, mayAdd }: { site: SiteOverview; mayAdd: boolean }) {
  return (
    <Card>
      <CardHead title={texts.agents} {...(mayAdd ? { to: `/sites/${id}/agents/new`, label: texts.addAgent } : {})} />
      <Rows label={texts.agents}>
        {agents.map((agent) => (
          <AgentLine key={agent.id} site={id} agent={agent} />
        ))}
      </Rows>
    </Card>
  );
}

function AgentLine({ site, agent }: { site: string; agent: Agent }) {
  const { state, since, version, load } = agent;
  const isBusy = load !== null && load.running + load.queued > 0;
  const about = [
    version === null ? '' : texts.version({ version }),
    isBusy ? texts.busy({ running: load.running, queued: load.queued }) : '',
    updateText(agent),
  ].filter((part) => part !== '');
  return (
    <li>
      <span className="flex items-center gap-2 font-[550]">
        <StatusShape tone={TONES[state]} />
        <AgentLink site={site} agent={agent} />
      </span>
      <span className={SMALL}>
        {texts.agentStates[state]}
        {since === null ? null : ' '}
        <Since at={since} />
      </span>
      {about.length === 0 ? null : <span className={`${SMALL} ps-5`}>{about.join(', ')}</span>}
    </li>
  );
}

const MOST_RUNS = 5;
/** Some of them are routine. */
const RUNS_READ = 50;

/** The last runs at a site and their results. */
function RunsCard({ site }: { site: string }) {
  const answer = useAnswer('GET /jobs', { site, query: { limit: RUNS_READ } });
  return (
    <Card>
      <CardHead title={texts.runs} to={`/sites/${site}/runs`} label={texts.allRuns} />
      <Answered of={answer}>
        {({ jobs: all }) => {
          const jobs = withoutRoutine(all).slice(0, MOST_RUNS);
          return jobs.length === 0 ? (
            <p className="text-muted">
              {texts.noRuns} <Link href={`/sites/${site}/tools`}>{texts.openTools}</Link>
            </p>
          ) : (
            <Rows label={texts.runs}>
              {jobs.map((job) => (
                <RunLine key={job.id} job={job} />
              ))}
            </Rows>
          );
        }}
      </Answered>
    </Card>
  );
}

function RunLine({ job }: { job: Job }) {
  return (
    <li>
      <Link href={`/sites/${job.site}/runs/${job.id}`}>
        {commandTexts.tools[job.tool]} <JobRequest job={job} />
      </Link>
      <span className={SMALL}>
        <Time at={job.createdAt} />
      </span>
      <span className={SMALL} data-foreign>
        {resultText(job)}
      </span>
    </li>
  );
}
