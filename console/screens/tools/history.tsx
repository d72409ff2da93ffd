/** What a tool has been used for on the site. */
import { RotateCcw } from 'lucide-react';
import { Link } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { JobTable } from '../../commands/job-table.tsx';
import { titleOfJob } from '../../commands/job-texts.ts';
import { hasEnded } from '../../commands/use-command.ts';
import { useJobs } from '../../commands/use-jobs.ts';
import { Button } from '../../ui/button.tsx';
import { Answered } from '../../ui/state.tsx';
import { texts } from './texts.ts';
import styles from './tools.module.css';

const SHOWN = 10;
const NONE = { jobs: [], nextCursor: null };

interface Props {
  site: string;
  tool: string;
  /** Jobs that are followed on this screen: what is known of them is newer than the list. */
  followed: ReadonlyMap<string, Job>;
  onRepeat: (job: Job) => void;
}

export function History({ site, tool, followed, onRepeat }: Props) {
  const answer = useJobs(site, { tool, limit: SHOWN });
  return (
    <section className={styles.history}>
      <div className={styles.historyHead}>
        <h2>{texts.history}</h2>
        <Link href={`/sites/${site}/runs?tool=${tool}`}>{texts.allJobs}</Link>
      </div>
      <Answered of={answer}>
        {({ pages: [{ jobs, nextCursor } = NONE] }) =>
          jobs.length === 0 ? (
            <p className={styles.muted}>{nextCursor === null ? texts.noHistory : texts.noMatch}</p>
          ) : (
            <JobTable
              label={texts.history}
              jobs={jobs.map((job) => newer(job, followed.get(job.id)))}
              actions={(job) => (
                <Button onClick={() => onRepeat(job)} aria-label={texts.repeatOf(titleOfJob(job))}>
                  <RotateCcw aria-hidden="true" />
                  {texts.repeat}
                </Button>
              )}
            />
          )
        }
      </Answered>
    </section>
  );
}

/** One that goes on is stored with a delay; so the list may be behind what the screen shows of it. */
function newer(listed: Job, followed: Job | undefined): Job {
  return followed === undefined || hasEnded(listed) ? listed : followed;
}
