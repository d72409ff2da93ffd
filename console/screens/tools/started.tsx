/** The commands started on this screen, live, the newest first. */
import texts from 'messages:tools';
import { X } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import type { Job } from '../../../shared/api/jobs.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { titleOfJob } from '../../commands/job-texts.ts';
import { useStartedCommand } from '../../commands/use-command.ts';
import { IconButton } from '../../ui/button.tsx';

interface Props {
  jobs: readonly Job[];
  /** Called with each new state of one. */
  onChange: (job: Job) => void;
  onDismiss: (id: string) => void;
}

export function Started({ jobs, onChange, onDismiss }: Props) {
  if (jobs.length === 0) return null;
  return (
    <section className="grid gap-4" aria-label={texts.running}>
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
    <article
      className="grid gap-2 min-w-0 px-4 pt-3 pb-4 border border-line rounded-control bg-surface"
      aria-label={title}
    >
      <header className="flex flex-wrap items-center justify-between gap-y-1 gap-x-3 [&_h2_code]:text-muted [&_h2_code]:font-normal [&_h2]:min-w-0 [&_h2]:wrap-anywhere">
        <h2 data-foreign>{title}</h2>
        <IconButton label={texts.dismiss({ command: title })} icon={<X />} onClick={onDismiss} />
      </header>
      <CommandView command={command} showsResult />
    </article>
  );
}
