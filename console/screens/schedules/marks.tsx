/** How the last runs of a schedule went, as small marks: the newest at the right. */
import texts from 'messages:schedules';
import type { Job } from '../../../shared/api/jobs.ts';
import { toneOfState } from '../../commands/job-texts.ts';
import { resultText } from '../../commands/result-text.ts';
import styles from './schedules.module.css';

const SHOWN = 8;

/** @param jobs of the schedule, the newest first */
export function Marks({ jobs }: { jobs: readonly Job[] }) {
  const last = jobs.slice(0, SHOWN).toReversed();
  if (last.length === 0) return null;
  const failed = last.filter(({ state }) => toneOfState(state) !== 'good').length;
  return (
    <span
      className={`${styles.marks} inline-flex items-end gap-0.75 h-4`}
      role="img"
      aria-label={texts.marks({ all: last.length, failed })}
    >
      {last.map((job) => (
        <i key={job.id} data-tone={toneOfState(job.state)} title={resultText(job)} />
      ))}
    </span>
  );
}
