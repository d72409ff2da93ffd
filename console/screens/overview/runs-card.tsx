/** What was run at a site last, and what came of it. */
import commandTexts from 'messages:commands';
import texts from 'messages:overview';
import { Link } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { useAnswer } from '../../api/queries.ts';
import { requestText } from '../../commands/job-texts.ts';
import { resultText } from '../../commands/result-text.ts';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { CardHead } from './card-head.tsx';
import styles from './overview.module.css';

const LINES = 5;

export function RunsCard({ site }: { site: string }) {
  const answer = useAnswer('GET /jobs', { site, query: { limit: LINES } });
  return (
    <Card>
      <CardHead title={texts.runs} to={`/sites/${site}/runs`} label={texts.allRuns} />
      <Answered of={answer}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <p className="text-muted">
              {texts.noRuns} <Link href={`/sites/${site}/tools`}>{texts.openTools}</Link>
            </p>
          ) : (
            <ul
              className={`${styles.rows} grid -my-1 [&_a]:text-text [&_a]:no-underline [&_a:hover]:text-accent [&_a:hover]:underline`}
              aria-label={texts.runs}
            >
              {jobs.map((job) => (
                <Line key={job.id} job={job} />
              ))}
            </ul>
          )
        }
      </Answered>
    </Card>
  );
}

function Line({ job }: { job: Job }) {
  const request = requestText(job);
  return (
    <li className={styles.run}>
      <Link href={`/sites/${job.site}/runs/${job.id}`}>
        {commandTexts.tools[job.tool]} {request === '' ? null : <code data-foreign>{request}</code>}
      </Link>
      <span className={`${styles.small} text-muted text-sm`}>
        <Time at={job.createdAt} />
      </span>
      <span className={`${styles.small} text-muted text-sm ${styles.about}`} data-foreign>
        {resultText(job)}
      </span>
    </li>
  );
}
