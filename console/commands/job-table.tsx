/** Runs of a site or a tool as a table, with their results. */
import commandTexts from 'messages:commands';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../shared/api/jobs.ts';
import { durationText } from '../text/format.ts';
import { Actor } from '../ui/actor.tsx';
import { Status } from '../ui/status.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import { AgentAway } from './agent-away.tsx';
import { useJobActors } from './job-actors.ts';
import { hasEnded } from './job-progress.ts';
import { JobRequest } from './job-request.tsx';
import styles from './job-table.module.css';
import { requestParts, runTimeMs, toneOfState } from './job-texts.ts';
import { resultText } from './result-text.ts';
import { iconOf } from './tool-icons.ts';

interface Props {
  label: string;
  jobs: readonly Job[];
  /** Not where all jobs are of one tool. */
  showsTool?: boolean;
  /** At the end of a row. */
  actions: (job: Job) => ReactNode;
}

export function JobTable({ label, jobs, showsTool = false, actions }: Props) {
  const actors = useJobActors(jobs[0]?.site ?? '');
  if (useNarrow()) return <JobCards {...{ label, jobs, showsTool, actions }} />;
  const columns: Column<Job>[] = [
    { heading: commandTexts.columns.command, cell: (job) => <JobLink job={job} showsTool={showsTool} /> },
    { heading: commandTexts.columns.result, cell: (job) => <JobResult job={job} /> },
    { heading: commandTexts.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { heading: commandTexts.columns.took, cell: (job) => <RunTime job={job} /> },
    { heading: commandTexts.columns.actor, cell: ({ actor }) => <Actor id={actor} known={actors} /> },
    { heading: commandTexts.columns.agent, cell: ({ agent }) => agent.slice(agent.indexOf(':') + 1) },
    { heading: commandTexts.columns.actions, cell: actions },
  ];
  return <Table label={label} columns={columns} rows={jobs} keyOf={({ id }) => id} />;
}

/** In a narrow window: command, result and time in two lines. */
function JobCards({ label, jobs, showsTool = false, actions }: Props) {
  return (
    <ul className="card" aria-label={label}>
      {jobs.map((job) => (
        <li key={job.id} className="flex items-center gap-2 pl-3 pr-1 py-2 not-last:border-b not-last:border-line">
          <div className="grid flex-1 gap-0.5 min-w-0 [&_a]:min-h-7 [&_a]:font-medium">
            <JobLink job={job} showsTool={showsTool} />
            <div className="text-muted text-sm wrap-anywhere">
              <JobResult job={job} /> · <Time at={job.createdAt} />
            </div>
          </div>
          {actions(job)}
        </li>
      ))}
    </ul>
  );
}

/** Only failures and running jobs have a shape beside the text. */
function JobResult({ job }: { job: Job }) {
  const text = resultText(job);
  return (
    <>
      {job.state === 'succeeded' ? (
        <span data-foreign>{text}</span>
      ) : (
        <Status tone={toneOfState(job.state)}>
          <span className={hasEnded(job) ? 'whitespace-normal' : 'text-accent'}>{text}</span>
        </Status>
      )}
      {job.agentOfflineSince !== null && (
        <div className="text-xs">
          <AgentAway since={job.agentOfflineSince} />
        </div>
      )}
    </>
  );
}

function JobLink({ job, showsTool }: { job: Job; showsTool: boolean }) {
  const Icon = iconOf(job.tool);
  return (
    <Link
      href={`/sites/${job.site}/runs/${job.id}`}
      className={`${styles.link} [&_svg]:flex-none [&_svg]:size-4 [&_svg]:text-muted`}
    >
      {showsTool && <Icon aria-hidden="true" />}
      <span className="inline-flex flex-wrap gap-x-2 [&_code]:text-muted [&_code]:wrap-anywhere">
        {showsTool || requestParts(job).length === 0 ? <span>{commandTexts.tools[job.tool]}</span> : null}
        <JobRequest job={job} />
      </span>
    </Link>
  );
}

function RunTime({ job }: { job: Job }) {
  const ms = runTimeMs(job);
  return <span className="whitespace-nowrap">{ms === null ? commandTexts.nothing : durationText(ms)}</span>;
}
