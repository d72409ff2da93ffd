/** Runs one speed test; its result joins the others once it is stored. */
import texts from 'messages:internet';
import { useQueryClient } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useCommand } from '../../commands/use-command.ts';
import { percentText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';

export function MeasureNow({ site }: { site: string }) {
  const command = useCommand();
  const queries = useQueryClient();
  const { job, isRunning, percent, problem } = command;
  const state = isRunning || job === null ? null : job.state;
  useEffect(() => {
    if (problem !== null) showProblem(problem);
  }, [problem]);
  useEffect(() => {
    if (state === null) return;
    if (state === 'succeeded') showToast(texts.measured);
    void queries.invalidateQueries();
  }, [state, queries]);
  return (
    <>
      <Button disabled={isRunning} onClick={() => void command.start('speedtest', site, {})}>
        <Gauge aria-hidden="true" />
        {!isRunning
          ? texts.measureNow
          : percent === null
            ? texts.running
            : texts.runningAt({ percent: percentText(percent) })}
      </Button>
      {state === null || state === 'succeeded' || job === null ? null : (
        <span className="self-center text-warn text-sm" role="status">
          {texts.failed} <Link href={`/sites/${site}/runs/${job.id}`}>{texts.why}</Link>
        </span>
      )}
    </>
  );
}
