/** The tools that can be run on a site, by what they are for. */
import commandTexts from 'messages:commands';
import texts from 'messages:tools';
import { Link } from 'wouter';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { iconOf, TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { Page } from '../../ui/page.tsx';
import { AgentWarning } from './agents.tsx';
import { LastResult, useLastJobs } from './last-results.tsx';

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
  const last = useLastJobs(site);
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
                  <LastResult job={last.get(name)} />
                </span>
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
