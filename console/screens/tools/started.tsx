/** The commands that were started on this screen, the newest first. Each is followed by itself. */
import { X } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import type { Job } from '../../../shared/api/jobs.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { titleOfJob } from '../../commands/job-texts.ts';
import { useStartedCommand } from '../../commands/use-command.ts';
import { IconButton } from '../../ui/button.tsx';
import { texts } from './texts.ts';
import styles from './tools.module.css';

interface Props {
  jobs: readonly Job[];
  /** Told of each change of the state of one. */
  onChange: (job: Job) => void;
  onDismiss: (id: string) => void;
}

export function Started({ jobs, onChange, onDismiss }: Props) {
  if (jobs.length === 0) return null;
  return (
    <section className={styles.runs} aria-label={texts.running}>
      {jobs.map((job) => (
        <Run key={job.id} job={job} onChange={onChange} onDismiss={() => onDismiss(job.id)} />
      ))}
    </section>
  );
}

function Run({ job, onChange, onDismiss }: { job: Job; onChange: (job: Job) => void; onDismiss: () => void }) {
  const command = useStartedCommand(job);
  const state = command.job?.state;
  const changed = useEffectEvent(() => {
    if (command.job !== null) onChange(command.job);
  });
  useEffect(() => {
    if (state !== undefined) changed();
  }, [state]);
  const title = titleOfJob(job);
  return (
    <article className={styles.run} aria-label={title}>
      <header className={styles.runHead}>
        <h2 data-foreign>{title}</h2>
        <IconButton label={texts.dismiss(title)} onClick={onDismiss}>
          <X />
        </IconButton>
      </header>
      <CommandView command={command} showsResult />
    </article>
  );
}
