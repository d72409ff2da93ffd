/** One command: who has started it, where and when, how it goes, and what came of it. */
import { Link2, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, Redirect } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { useAnswer } from '../../api/queries.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { useJobActors } from '../../commands/job-actors.ts';
import { requestQuery, titleOfJob } from '../../commands/job-texts.ts';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { commandTexts } from '../../commands/texts.ts';
import { useStartedCommand } from '../../commands/use-command.ts';
import { Actor } from '../../ui/actor.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { texts as toolTexts } from '../tools/texts.ts';
import styles from './jobs.module.css';
import { texts } from './texts.ts';

export default function OneJob({ site, id }: { site: string; id: string }) {
  return (
    <NeedsNettools title={texts.one}>
      <FoundJob site={site} id={id} />
    </NeedsNettools>
  );
}

function FoundJob({ site, id }: { site: string; id: string }) {
  // Asked for once: from then on the stream of its events says how it goes.
  const answer = useAnswer('GET /jobs/{id}', { params: { id } }, { everyMs: 0 });
  if (answer.data === undefined) {
    return (
      <Page title={texts.one} actions={<LinkButton to={`/sites/${site}/runs`}>{texts.toList}</LinkButton>}>
        <Answered of={answer}>{() => null}</Answered>
      </Page>
    );
  }
  if (answer.data.site !== site) return <Redirect to={`/sites/${answer.data.site}/runs/${id}`} replace />;
  return <JobPage found={answer.data} />;
}

function JobPage({ found }: { found: Job }) {
  const command = useStartedCommand(found);
  const job = command.job ?? found;
  const title = titleOfJob(job);
  return (
    <Page
      title={title}
      actions={
        <>
          <CopyButton label={texts.share} text={window.location.href} icon={<Link2 />} />
          <LinkButton to={`/sites/${job.site}/tools/${job.tool}?${requestQuery(job)}`}>
            <RotateCcw aria-hidden="true" />
            {toolTexts.repeat}
          </LinkButton>
          <LinkButton to={`/sites/${job.site}/runs`}>{texts.toList}</LinkButton>
        </>
      }
    >
      <Card>
        <CommandView command={command} linksToJob={false} showsResult />
      </Card>
      <Card>
        <Facts job={job} />
      </Card>
    </Page>
  );
}

function Facts({ job }: { job: Job }) {
  const { tool, site, actor, agent, createdAt, startedAt, id } = job;
  const actors = useJobActors(site);
  return (
    <dl className={styles.facts}>
      <Fact name={texts.tool}>
        <Link href={`/sites/${site}/tools/${tool}`}>{tool}</Link>
      </Fact>
      <Fact name={commandTexts.columns.actor}>
        <Actor id={actor} known={actors} />
      </Fact>
      <Fact name={commandTexts.columns.agent}>{agent}</Fact>
      <Fact name={commandTexts.columns.created}>
        <Moment at={startedAt ?? createdAt} /> (<Time at={startedAt ?? createdAt} />)
      </Fact>
      <Fact name={texts.id}>
        <code>{id}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
