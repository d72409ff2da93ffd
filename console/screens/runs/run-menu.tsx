/** The actions on a run: the same again, another, or a schedule. */
import texts from 'messages:runs';
import { CalendarClock, PencilLine, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { startCommand } from '../../api/client.ts';
import { requestQuery, titleOfJob } from '../../commands/job-texts.ts';
import { Menu } from '../../ui/menu.tsx';
import { showProblem } from '../../ui/toast.tsx';
import { checkForm, filledValues, formOf } from '../tools/form-fields.ts';

export function RunMenu({ job }: { job: Job }) {
  const { run } = useAgain(job);
  return (
    <Menu
      label={`${texts.actions}: ${titleOfJob(job)}`}
      items={[{ label: texts.again, icon: <RotateCcw aria-hidden="true" />, run }, ...furtherActions(job)]}
    />
  );
}

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

/** Starts the command again and opens its run, or the form of the tool if its request is no longer valid. */
export function useAgain(job: Job) {
  const [, navigate] = useLocation();
  const [isStarting, setStarting] = useState(false);
  async function start(): Promise<void> {
    const form = formOf(job.tool);
    const query = requestQuery(job);
    const body = form === null ? null : checkForm(form, filledValues(form, new URLSearchParams(query))).body;
    if (body === null) return navigate(`/sites/${job.site}/tools/${job.tool}?${query}`);
    setStarting(true);
    try {
      const started = await startCommand(job.tool, job.site, body);
      navigate(`/sites/${job.site}/runs/${started.id}`);
    } catch (error) {
      showProblem(error);
    } finally {
      setStarting(false);
    }
  }
  return { isStarting, run: () => void start() };
}
