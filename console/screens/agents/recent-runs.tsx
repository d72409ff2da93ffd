/** The last runs of an agent. */
import texts from 'messages:agent';
import commandTexts from 'messages:commands';
import { Link } from 'wouter';
import { useAnswer } from '../../api/queries.ts';
import { requestText, toneOfState } from '../../commands/job-texts.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './agents.module.css';

const SHOWN = 5;

export function RecentRuns({ site, agent }: { site: string; agent: string }) {
  const runs = useAnswer('GET /jobs', { site, query: { agent, limit: SHOWN } });
  return (
    <Card title={texts.runs}>
      <Answered of={runs}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <p className="text-muted">{texts.noRuns}</p>
          ) : (
            <>
              <ul
                className={`${styles.runs} [&_li:last-child]:border-b-0 [&_a]:py-1 [&_a]:text-text [&_a]:no-underline [&_a]:truncate [&_a:hover]:underline`}
                aria-label={texts.runs}
              >
                {jobs.map((job) => (
                  <li key={job.id}>
                    <Link href={`/sites/${site}/runs/${job.id}`}>
                      {job.tool} <code data-foreign>{requestText(job)}</code>
                    </Link>
                    <Status tone={toneOfState(job.state)}>{commandTexts.states[job.state]}</Status>
                    <span className="text-muted">
                      <Time at={job.createdAt} />
                    </span>
                  </li>
                ))}
              </ul>
              <div>
                <LinkButton to={`/sites/${site}/runs`}>{texts.allRuns}</LinkButton>
              </div>
            </>
          )
        }
      </Answered>
    </Card>
  );
}
