/** The tools of a site, each with its last result. */
import commandTexts from 'messages:commands';
import texts from 'messages:tools';
import { Link } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { resultText } from '../../commands/result-text.ts';
import { iconOf, TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { useJobs } from '../../commands/use-jobs.ts';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { AgentWarning } from './agents.tsx';

/** Jobs among which the last results are found. */
const MAX_JOBS = 100;

export default function Tools({ site }: { site: string }) {
  return (
    <NeedsNettools title={texts.title}>
      <Page title={texts.title}>
        <p className="text-muted">{texts.hint}</p>
        <AgentWarning site={site} programs={[]} />
        <Cards site={site} />
      </Page>
    </NeedsNettools>
  );
}

function Cards({ site }: { site: string }) {
  const { data } = useJobs(site, { limit: MAX_JOBS });
  const jobs = data?.pages.flatMap((page) => page.jobs) ?? [];
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,300px),1fr))] gap-3" aria-label={texts.choose}>
      {TOOLS_IN_ORDER.map((name) => {
        const Icon = iconOf(name);
        return (
          <li key={name}>
            <Link
              href={`/sites/${site}/tools/${name}`}
              className="card flex gap-3 h-full px-4 py-3.5 no-underline text-text hover:border-edge hover:bg-hover"
            >
              <span className="grid flex-none place-items-center size-8 rounded-control bg-accent-soft text-accent [&_svg]:size-4.5">
                <Icon aria-hidden="true" />
              </span>
              <span className="grid content-start gap-0.5 min-w-0 text-muted text-sm">
                <span className="flex flex-wrap items-baseline gap-y-0.5 gap-x-2 [&_strong]:text-text [&_strong]:text-md [&_strong]:font-semibold [&_code]:text-[11.5px]">
                  <strong>{commandTexts.tools[name]}</strong> <code>{name}</code>
                </span>
                <span>{commandTexts.purposes[name]}</span>
                <span className="mt-1 text-xs wrap-anywhere">
                  <LastResult job={jobs.find(({ tool }) => tool === name)} />
                </span>
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function LastResult({ job }: { job: Job | undefined }) {
  if (job === undefined) return texts.neverRun;
  return (
    <span data-foreign>
      {texts.lastWas({ result: resultText(job) })}, <Time at={job.createdAt} />
    </span>
  );
}
