/** The last runs of a tool on the site: the last one in full, the others in a table. */
import texts from 'messages:tools';
import { RotateCcw } from 'lucide-react';
import { Link } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Tool } from '../../../shared/tools/list.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { JobTable } from '../../commands/job-table.tsx';
import { requestText, titleOfJob } from '../../commands/job-texts.ts';
import { useStartedCommand } from '../../commands/use-command.ts';
import { useJobs } from '../../commands/use-jobs.ts';
import { Button } from '../../ui/button.tsx';
import { Answered } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';

const RUN_HEAD =
  'flex flex-wrap items-center justify-between gap-y-1 gap-x-3 [&_h2_code]:text-muted [&_h2_code]:font-normal [&_h2]:min-w-0 [&_h2]:wrap-anywhere';

const SHOWN = 10;
const NONE = { jobs: [], nextCursor: null };

interface Props {
  site: string;
  tool: Tool;
  /** Jobs that the screen shows already. */
  shown: readonly Job[];
  onRepeat: (job: Job) => void;
}

export function History({ site, tool, shown, onRepeat }: Props) {
  const answer = useJobs(site, { tool, limit: SHOWN });
  return (
    <Answered of={answer}>
      {({ pages: [{ jobs, nextCursor } = NONE] }) => {
        const others = jobs.filter(({ id }) => !shown.some((one) => one.id === id));
        const [last] = others;
        if (last === undefined) {
          if (shown.length > 0) return null;
          return <p className="text-muted">{nextCursor === null ? texts.noHistory : texts.noMatch}</p>;
        }
        const before = shown.length === 0 ? others.slice(1) : others;
        return (
          <>
            {shown.length === 0 ? <Last key={last.id} job={last} /> : null}
            {before.length === 0 ? null : (
              <section className="grid gap-2 min-w-0">
                <div className={RUN_HEAD}>
                  <h2>{texts.history}</h2>
                  <Link href={`/sites/${site}/runs?tool=${tool}`}>{texts.allJobs}</Link>
                </div>
                <JobTable
                  label={texts.history}
                  jobs={before}
                  actions={(job) => (
                    <Button onClick={() => onRepeat(job)} aria-label={texts.repeatOf({ command: titleOfJob(job) })}>
                      <RotateCcw aria-hidden="true" />
                      {texts.repeat}
                    </Button>
                  )}
                />
              </section>
            )}
          </>
        );
      }}
    </Answered>
  );
}

function Last({ job }: { job: Job }) {
  const command = useStartedCommand(job);
  return (
    <section
      className="grid gap-2 min-w-0 px-4 pt-3 pb-4 border border-line rounded-control bg-surface"
      aria-label={texts.last}
    >
      <div className={RUN_HEAD}>
        <h2>
          {texts.last} <code data-foreign>{requestText(job)}</code>
        </h2>
        <span className="text-muted">
          <Time at={job.createdAt} />
        </span>
      </div>
      <CommandView command={command} showsResult />
    </section>
  );
}
