/** A command as it goes on: its state, its progress, its output line by line, and a way to stop it. */
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { durationText } from '../format.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { ProblemBox } from '../ui/state.tsx';
import { Status, type Tone } from '../ui/status.tsx';
import styles from './command-view.module.css';
import { plainText } from './plain-text.ts';
import type { Command } from './use-command.ts';

const TONES: Record<string, Tone> = {
  succeeded: 'good',
  failed: 'bad',
  lost: 'bad',
  expired: 'bad',
  interrupted: 'warn',
  cancelled: 'warn',
};

export function toneOfState(state: string): Tone {
  return TONES[state] ?? 'calm';
}

export function CommandView({ command, linksToJob = true }: { command: Command; linksToJob?: boolean }) {
  const { job, output, phase, percent, isRunning, isCancelling, problem, cancel } = command;
  if (job === null && !isRunning && problem === null) return null;
  return (
    <div className={styles.view}>
      <div className={styles.line}>
        {job === null ? null : <Status tone={toneOfState(job.state)}>{texts.command.states[job.state]}</Status>}
        {phase === null || !isRunning ? null : <span>{phase}</span>}
        {isRunning ? (
          <progress aria-label={texts.command.progress} {...(percent === null ? {} : { value: percent, max: 100 })} />
        ) : null}
        {job?.startedAt && job.endedAt ? (
          <span>{texts.command.took(durationText(Date.parse(job.endedAt) - Date.parse(job.startedAt)))}</span>
        ) : null}
        {isRunning && job !== null ? (
          <Button onClick={() => void cancel()} disabled={isCancelling}>
            {isCancelling ? texts.command.cancelling : texts.command.cancel}
          </Button>
        ) : null}
        {job !== null && linksToJob ? (
          <Link href={`/sites/${job.site}/jobs/${job.id}`}>{texts.command.job}</Link>
        ) : null}
      </div>
      {problem === null ? null : <ProblemBox error={problem} />}
      {job?.message ? <p data-foreign>{job.message}</p> : null}
      {job === null ? null : <Output text={output} isRunning={isRunning} />}
      {job?.truncated ? <p>{texts.command.truncated}</p> : null}
    </div>
  );
}

/** Stays at its end while text comes, unless somebody has scrolled up to read. */
function Output({ text, isRunning }: { text: string; isRunning: boolean }) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when text has come
  useEffect(() => {
    const element = box.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [text]);
  if (text === '' && isRunning) return null;
  return (
    <pre
      ref={box}
      role="log"
      aria-label={texts.command.output}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
      tabIndex={0}
      className={styles.output}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      {text === '' ? texts.command.noOutput : plainText(text)}
    </pre>
  );
}
