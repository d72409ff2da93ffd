/** A running command: its state, its progress, its output line by line, a button to stop it; then its result. */
import commandTexts from 'messages:commands';
import { Link } from 'wouter';
import type { Job } from '../../shared/api/jobs.ts';
import { useAnswer } from '../api/queries.ts';
import { lazyPart } from '../shell/lazy-screen.ts';
import { durationText } from '../text/format.ts';
import { Button } from '../ui/button.tsx';
import { ProblemBox } from '../ui/state.tsx';
import { Status } from '../ui/status.tsx';
import { AgentAway } from './agent-away.tsx';
import { fileNameOf, reasonText, runTimeMs, toneOfState } from './job-texts.ts';
import { Output, ResultButtons } from './output.tsx';
import { summaryText } from './result-text.ts';
import styles from './results/results.module.css';
import type { Command } from './use-command.ts';

export { toneOfState } from './job-texts.ts';

const Result = lazyPart(() => import('./result.tsx'));

interface Props {
  command: Command;
  linksToJob?: boolean;
  /** Shows the parsed result, and folds the output. */
  showsResult?: boolean;
  hidesOutput?: boolean;
}

export function CommandView({ command, linksToJob = true, showsResult = false, hidesOutput = false }: Props) {
  const { job, isRunning, problem } = command;
  if (job === null && !isRunning && problem === null) return null;
  const reason = job === null ? null : (job.message ?? reasonText(job));
  const hasResult = showsResult && job !== null && job.result !== null;
  return (
    <div className="grid gap-3 min-w-0">
      <StateLine command={command} linksToJob={linksToJob} isResult={hasResult} />
      {job === null || !isRunning ? null : <Reach job={job} />}
      {problem !== null && <ProblemBox error={problem} />}
      {reason !== null && (
        <p className="wrap-anywhere" data-foreign>
          {reason}
        </p>
      )}
      {hasResult && <Result job={job} />}
      {job !== null && !hidesOutput && <Printed command={command} job={job} isFolded={hasResult} />}
      {job?.truncated ? <p className="text-muted">{commandTexts.truncated}</p> : null}
    </div>
  );
}

function Printed({ command, job, isFolded }: { command: Command; job: Job; isFolded: boolean }) {
  const fileName = fileNameOf(job);
  const output = <Output text={command.output} fileName={fileName} isRunning={command.isRunning} />;
  if (!isFolded) return output;
  return (
    <details className={`${styles.fold} [&[open]]:grid [&[open]]:gap-1.5`}>
      <summary>{commandTexts.rawOutput}</summary>
      {output}
      <ResultButtons result={job.result} fileName={fileName} />
    </details>
  );
}

/** The stream of a command does not report that its agent is offline. */
function Reach({ job }: { job: Job }) {
  const { data } = useAnswer('GET /sites/{site}/agents', { params: { site: job.site } });
  if (data === undefined) return <AgentAway since={job.agentOfflineSince} />;
  const agent = data.agents.find(({ id }) => id === job.agent);
  return <AgentAway since={agent?.state === 'offline' ? agent.since : null} />;
}

/** @param isResult the result follows below: its summary becomes the headline, in place of the state `succeeded` */
function StateLine({ command, linksToJob, isResult }: Pick<Props, 'command' | 'linksToJob'> & { isResult: boolean }) {
  const { job, phase, percent, ahead, isRunning, isCancelling, isReconnecting, cancel } = command;
  const tookMs = job === null ? null : runTimeMs(job);
  const summary = job === null ? null : summaryText(job.summary);
  const isHeadline = isResult && job?.state === 'succeeded' && summary !== null;
  return (
    <div className="flex flex-wrap items-center gap-y-2 gap-x-4 min-h-8 [&_progress]:flex-1 [&_progress]:min-w-30 [&_progress]:max-w-105 [&_progress]:accent-accent">
      <span aria-live="polite" className={isHeadline ? 'visually-hidden' : undefined}>
        <Status tone={job === null ? 'calm' : toneOfState(job.state)}>
          {job === null ? commandTexts.starting : commandTexts.states[job.state]}
        </Status>
      </span>
      {summary !== null && (
        <span className={isHeadline ? 'text-lg font-semibold' : undefined} data-foreign>
          {summary}
        </span>
      )}
      {isRunning && ahead !== null && ahead > 0 ? <span>{commandTexts.ahead({ count: ahead })}</span> : null}
      {isRunning && phase !== null ? <span data-foreign>{phase}</span> : null}
      {isRunning && (
        <progress aria-label={commandTexts.progress} {...(percent === null ? {} : { value: percent, max: 100 })} />
      )}
      {isRunning && percent !== null ? <span>{commandTexts.percent({ value: Math.floor(percent) })}</span> : null}
      {isReconnecting && <span role="status">{commandTexts.reconnecting}</span>}
      {tookMs !== null && <span className="text-muted">{commandTexts.took({ duration: durationText(tookMs) })}</span>}
      {isRunning && job !== null ? (
        <Button onClick={() => void cancel()} disabled={isCancelling}>
          {isCancelling ? commandTexts.cancelling : commandTexts.cancel}
        </Button>
      ) : null}
      {job !== null && linksToJob ? <Link href={`/sites/${job.site}/runs/${job.id}`}>{commandTexts.job}</Link> : null}
    </div>
  );
}
