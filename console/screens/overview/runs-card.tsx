/** The last runs at a site and their results. */
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
import { CardHead, Rows, SMALL } from './card-head.tsx';
import { withoutRoutine } from './rows.ts';

const LINES = 5;
/** Some of them are routine. */
const READ = 50;

export function RunsCard({ site }: { site: string }) {
  const answer = useAnswer('GET /jobs', { site, query: { limit: READ } });
  return (
    <Card>
      <CardHead title={texts.runs} to={`/sites/${site}/runs`} label={texts.allRuns} />
      <Answered of={answer}>
        {({ jobs: all }) => {
          const jobs = withoutRoutine(all).slice(0, LINES);
          return jobs.length === 0 ? (
            <p className="text-muted">
              {texts.noRuns} <Link href={`/sites/${site}/tools`}>{texts.openTools}</Link>
            </p>
          ) : (
            <Rows label={texts.runs}>
              {jobs.map((job) => (
                <Line key={job.id} job={job} />
              ))}
            </Rows>
          );
        }}
      </Answered>
    </Card>
  );
}

function Line({ job }: { job: Job }) {
  const request = requestText(job);
  return (
    <li>
      <Link href={`/sites/${job.site}/runs/${job.id}`}>
        {commandTexts.tools[job.tool]} {request === '' ? null : <code data-foreign>{request}</code>}
      </Link>
      <span className={SMALL}>
        <Time at={job.createdAt} />
      </span>
      <span className={SMALL} data-foreign>
        {resultText(job)}
      </span>
    </li>
  );
}
