/** One run: its result, then in one line when, by whom and where, and its actions. */
import commandTexts from 'messages:commands';
import texts from 'messages:runs';
import { Link2, List, RotateCcw } from 'lucide-react';
import { Redirect } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { useAnswer } from '../../api/queries.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { useJobActors } from '../../commands/job-actors.ts';
import { JobRequest } from '../../commands/job-request.tsx';
import { titleOfJob } from '../../commands/job-texts.ts';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { iconOf } from '../../commands/tool-icons.ts';
import { useStartedCommand } from '../../commands/use-command.ts';
import { Actor } from '../../ui/actor.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CopyButton, copyAndTell } from '../../ui/copy-button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { furtherActions, useAgain } from './run-menu.tsx';

export default function OneRun({ site, id }: { site: string; id: string }) {
  return (
    <NeedsNettools title={texts.one}>
      <FoundRun key={id} site={site} id={id} />
    </NeedsNettools>
  );
}

function FoundRun({ site, id }: { site: string; id: string }) {
  // Requested once: the stream of its events follows.
  const answer = useAnswer('GET /jobs/{id}', { params: { id } }, { everyMs: 0 });
  if (answer.data === undefined) {
    return (
      <Page title={texts.one} actions={<LinkButton to={`/sites/${site}/runs`}>{texts.toList}</LinkButton>}>
        <Answered of={answer}>{() => null}</Answered>
      </Page>
    );
  }
  if (answer.data.site !== site) return <Redirect to={`/sites/${answer.data.site}/runs/${id}`} replace />;
  return <RunPage found={answer.data} />;
}

function RunPage({ found }: { found: Job }) {
  const command = useStartedCommand(found);
  const job = command.job ?? found;
  const again = useAgain(job);
  return (
    <Page
      title={titleOfJob(job)}
      heading={<Heading job={job} />}
      actions={
        <>
          <Button onClick={again.run} aria-disabled={again.isStarting} icon={<RotateCcw />}>
            {again.isStarting ? texts.starting : texts.again}
          </Button>
          <Menu
            label={texts.actions}
            items={[
              ...furtherActions(job),
              {
                label: texts.share,
                icon: <Link2 aria-hidden="true" />,
                run: () => void copyAndTell(window.location.href, texts.copied),
              },
              { label: texts.toList, icon: <List aria-hidden="true" />, to: `/sites/${job.site}/runs` },
            ]}
          />
        </>
      }
    >
      <Card>
        <CommandView command={command} linksToJob={false} showsResult />
      </Card>
      <Facts job={job} />
    </Page>
  );
}

function Heading({ job }: { job: Job }) {
  const Icon = iconOf(job.tool);
  return (
    <div className="flex items-center gap-x-2.5 min-w-0 [&_svg]:flex-none [&_svg]:size-5 [&_svg]:text-muted [&_:is(code,span)]:text-lg [&_code]:text-muted [&_code]:font-normal [&_code]:wrap-anywhere">
      <Icon aria-hidden="true" />
      <h1>
        {commandTexts.tools[job.tool]} <JobRequest job={job} />
      </h1>
    </div>
  );
}

function Facts({ job }: { job: Job }) {
  const { site, actor, agent, createdAt, startedAt, id } = job;
  const actors = useJobActors(site);
  return (
    <p className="flex flex-wrap items-center gap-y-0.5 gap-x-4 text-muted text-sm">
      <span>
        <Time at={startedAt ?? createdAt} /> (<Moment at={startedAt ?? createdAt} />)
      </span>
      <Actor id={actor} known={actors} />
      <span data-foreign>{texts.onAgent({ name: agent.slice(agent.indexOf(':') + 1) })}</span>
      <span className="inline-flex items-center min-w-0 [&_code]:max-w-[26ch] [&_code]:truncate">
        <code title={id}>{id}</code>
        <CopyButton label={texts.copyId} text={id} />
      </span>
    </p>
  );
}
