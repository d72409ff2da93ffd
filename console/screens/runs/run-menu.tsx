/** What can be done with a run, in the row of a list. */
import texts from 'messages:runs';
import { CalendarClock, PencilLine, RotateCcw } from 'lucide-react';
import type { Job } from '../../../shared/api/jobs.ts';
import { requestQuery, titleOfJob } from '../../commands/job-texts.ts';
import { Menu } from '../../ui/menu.tsx';
import { useAgain } from './use-again.ts';

export function RunMenu({ job }: { job: Job }) {
  const { run } = useAgain(job);
  return (
    <Menu
      label={`${texts.actions}: ${titleOfJob(job)}`}
      items={[{ label: texts.again, icon: <RotateCcw aria-hidden="true" />, run }, ...furtherActions(job)]}
    />
  );
}

/** To the form of its tool, and to a schedule. */
export function furtherActions(job: Job) {
  const query = requestQuery(job);
  const site = `/sites/${job.site}`;
  return [
    { label: texts.edit, icon: <PencilLine aria-hidden="true" />, to: `${site}/tools/${job.tool}?${query}` },
    {
      label: texts.every,
      icon: <CalendarClock aria-hidden="true" />,
      to: `${site}/schedules?add=${job.tool}&${query}`,
    },
  ];
}
