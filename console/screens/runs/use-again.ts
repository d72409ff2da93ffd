/** The same command once more, at once. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { startCommand } from '../../api/client.ts';
import { requestQuery } from '../../commands/job-texts.ts';
import { showProblem } from '../../ui/toast.tsx';
import { checkForm, filledValues, formOf } from '../tools/form-fields.ts';

/** Starts it and goes to its run; what cannot be sent as it is leads to the form of the tool. */
export function useAgain(job: Job): { isStarting: boolean; run: () => void } {
  const [, navigate] = useLocation();
  const [isStarting, setStarting] = useState(false);
  async function start(): Promise<void> {
    const form = formOf(job.tool);
    const query = requestQuery(job);
    const body = form === null ? null : checkForm(form, filledValues(form, new URLSearchParams(query))).body;
    if (body === null) {
      navigate(`/sites/${job.site}/tools/${job.tool}?${query}`);
      return;
    }
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
