/** A command as it goes on: its state, its progress, its output line by line, and a way to stop it. */
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../shared/api/jobs.ts';
import { useAnswer } from '../api/queries.ts';
import { durationText } from '../text/format.ts';
import { Button } from '../ui/button.tsx';
import { ProblemBox } from '../ui/state.tsx';
import { Status } from '../ui/status.tsx';
import { AgentAway } from './agent-away.tsx';
import styles from './command-view.module.css';
import { fileNameOf, reasonText, runTimeMs, toneOfState } from './job-texts.ts';
import { Output } from './output.tsx';
import { commandTexts } from './texts.ts';
import type { Command } from './use-command.ts';

export { toneOfState } from './job-texts.ts';

/** Loaded when there is a result: it needs the declarations of the tools. */
const Result = lazy(() => import('./result.tsx'));

interface Props {
  command: Command;
  linksToJob?: boolean;
  /** Whether the parsed result is shown beside the output. */
  showsResult?: boolean;
}

export function CommandView({ command, linksToJob = true, showsResult = false }: Props) {
  const { job, output, isRunning, problem } = command;
  if (job === null && !isRunning && problem === null) return null;
  const reason = job === null ? null : (job.message ?? reasonText(job));
  return (
    <div className={styles.view}>
      <StateLine command={command} linksToJob={linksToJob} />
      {job === null || !isRunning ? null : <Reach job={job} />}
      {problem === null ? null : <ProblemBox error={problem} />}
      {reason === null ? null : (
        <p className={styles.message} data-foreign>
          {reason}
        </p>
      )}
      {job === null ? null : (
        <div className={styles.parts}>
          {showsResult && job.result !== null ? (
            <Suspense fallback={null}>
              <Result job={job} />
            </Suspense>
          ) : null}
          <Output text={output} fileName={fileNameOf(job)} isRunning={isRunning} />
        </div>
      )}
      {job?.truncated ? <p className={styles.muted}>{commandTexts.truncated}</p> : null}
    </div>
  );
}

/** The stream of a command says nothing of an agent that is away. */
function Reach({ job }: { job: Job }) {
  const { data } = useAnswer('GET /sites/{site}/agents', { params: { site: job.site } });
  if (data === undefined) return <AgentAway since={job.agentOfflineSince} />;
  const agent = data.agents.find(({ id }) => id === job.agent);
  return <AgentAway since={agent?.state === 'offline' ? agent.since : null} />;
}

function StateLine({ command, linksToJob }: { command: Command; linksToJob: boolean }) {
  const { job, phase, percent, ahead, isRunning, isCancelling, isReconnecting, cancel } = command;
  const tookMs = job === null ? null : runTimeMs(job);
  return (
    <div className={styles.line}>
      <span aria-live="polite">
        {job === null ? (
          <Status tone="calm">{commandTexts.starting}</Status>
        ) : (
          <Status tone={toneOfState(job.state)}>{commandTexts.states[job.state]}</Status>
        )}
      </span>
      {isRunning && ahead !== null && ahead > 0 ? <span>{commandTexts.ahead(ahead)}</span> : null}
      {isRunning && phase !== null ? <span data-foreign>{phase}</span> : null}
      {isRunning ? (
        <progress aria-label={commandTexts.progress} {...(percent === null ? {} : { value: percent, max: 100 })} />
      ) : null}
      {isRunning && percent !== null ? <span>{commandTexts.percent(Math.floor(percent))}</span> : null}
      {isReconnecting ? <span role="status">{commandTexts.reconnecting}</span> : null}
      {tookMs === null ? null : <span>{commandTexts.took(durationText(tookMs))}</span>}
      {isRunning && job !== null ? (
        <Button onClick={() => void cancel()} disabled={isCancelling}>
          {isCancelling ? commandTexts.cancelling : commandTexts.cancel}
        </Button>
      ) : null}
      {job !== null && linksToJob ? <Link href={`/sites/${job.site}/runs/${job.id}`}>{commandTexts.job}</Link> : null}
    </div>
  );
}
