/** Jobs as a table: the one of all jobs of a site, and the history of one tool. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../shared/api/jobs.ts';
import { durationText } from '../text/format.ts';
import { Actor } from '../ui/actor.tsx';
import { Status } from '../ui/status.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { AgentAway } from './agent-away.tsx';
import { useJobActors } from './job-actors.ts';
import styles from './job-table.module.css';
import { reasonText, requestText, runTimeMs, toneOfState } from './job-texts.ts';
import { commandTexts } from './texts.ts';

interface Props {
  label: string;
  jobs: readonly Job[];
  /** Left out where all jobs are of one tool. */
  showsTool?: boolean;
  /** What can be done with a job, at the end of its row. */
  actions: (job: Job) => ReactNode;
}

export function JobTable({ label, jobs, showsTool = false, actions }: Props) {
  const actors = useJobActors(jobs[0]?.site ?? '');
  const columns: Column<Job>[] = [
    { heading: commandTexts.columns.state, cell: (job) => <JobState job={job} /> },
    { heading: commandTexts.columns.command, cell: (job) => <JobLink job={job} showsTool={showsTool} /> },
    {
      heading: commandTexts.columns.created,
      cell: ({ createdAt }) => (
        <span className={styles.short}>
          <Time at={createdAt} />
        </span>
      ),
    },
    { heading: commandTexts.columns.took, cell: (job) => <RunTime job={job} /> },
    { heading: commandTexts.columns.actor, cell: ({ actor }) => <Actor id={actor} known={actors} /> },
    { heading: commandTexts.columns.agent, cell: ({ agent }) => agent.slice(agent.indexOf(':') + 1) },
    { heading: commandTexts.columns.actions, cell: actions },
  ];
  return <Table label={label} columns={columns} rows={jobs} keyOf={({ id }) => id} />;
}

function JobState({ job }: { job: Job }) {
  const reason = reasonText(job);
  return (
    <>
      <Status tone={toneOfState(job.state)}>{commandTexts.states[job.state]}</Status>
      {reason === null ? null : <div className={styles.reason}>{reason}</div>}
      {job.agentOfflineSince === null ? null : (
        <div className={styles.reason}>
          <AgentAway since={job.agentOfflineSince} />
        </div>
      )}
    </>
  );
}

function JobLink({ job, showsTool }: { job: Job; showsTool: boolean }) {
  const request = requestText(job);
  return (
    <Link href={`/sites/${job.site}/runs/${job.id}`} className={styles.link}>
      {showsTool || request === '' ? <span>{job.tool}</span> : null}
      {request === '' ? null : <code data-foreign>{request}</code>}
    </Link>
  );
}

function RunTime({ job }: { job: Job }) {
  const ms = runTimeMs(job);
  return <span className={styles.short}>{ms === null ? commandTexts.nothing : durationText(ms)}</span>;
}
