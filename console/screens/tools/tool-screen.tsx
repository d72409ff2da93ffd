/** One tool: its form, the commands started here, and its last runs. */
import commandTexts from 'messages:commands';
import texts from 'messages:tools';
import { useQueryClient } from '@tanstack/react-query';
import { RotateCcw, X } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Tool } from '../../../shared/tools/list.ts';
import { CommandView } from '../../commands/command-view.tsx';
import { JobRequest } from '../../commands/job-request.tsx';
import { JobTable } from '../../commands/job-table.tsx';
import { requestQuery, titleOfJob } from '../../commands/job-texts.ts';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { iconOf, TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { hasEnded, useStartedCommand } from '../../commands/use-command.ts';
import { useJobs } from '../../commands/use-jobs.ts';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { AgentWarning } from './agents.tsx';
import { type ToolForm as Form, formOf } from './form-fields.ts';
import { ToolForm } from './tool-form.tsx';

export default function ToolScreen({ site, id }: { site: string; id: string }) {
  const form = formOf(id);
  return (
    <NeedsNettools title={texts.title}>
      {form === null ? (
        <Page title={texts.title}>
          <Empty title={texts.unknown}>
            <LinkButton to={`/sites/${site}/tools`}>{texts.others}</LinkButton>
          </Empty>
        </Page>
      ) : (
        <KnownTool key={id} site={site} form={form} name={id as Tool} />
      )}
    </NeedsNettools>
  );
}

/** Each is a connection while it runs, of which a browser allows six to a host. */
const MAX_RUNS = 4;

function KnownTool({ site, form, name }: { site: string; form: Form; name: Tool }) {
  const [address, replaceAddress] = useHashQuery();
  const [fills, setFills] = useState(0);
  const [started, setStarted] = useState<readonly Job[]>([]);
  const queries = useQueryClient();
  const historyChanges = () => void queries.invalidateQueries({ queryKey: ['pages', 'GET /jobs'] });

  function repeat(job: Job): void {
    replaceAddress(new URLSearchParams(requestQuery(job)), { replace: true });
    setFills(fills + 1); // The same values again fill the form in again.
    document.querySelector('main')?.scrollIntoView();
  }

  const heading = (
    <h1>
      {commandTexts.tools[name]} <code className="text-muted text-sm font-normal tracking-[0]">{name}</code>
    </h1>
  );
  return (
    <Page title={commandTexts.tools[name]} heading={heading}>
      <ToolLinks site={site} />
      <AgentWarning site={site} programs={Object.keys(form.tool.programs)} />
      <Card>
        <p className="text-muted">{commandTexts.purposes[name]}</p>
        <ToolForm
          key={`${fills} ${address}`}
          site={site}
          form={form}
          query={address}
          onStarted={(job) => {
            setStarted((now) => [job, ...now].slice(0, MAX_RUNS));
            historyChanges();
          }}
        />
      </Card>
      <Started
        jobs={started}
        onChange={(job) => {
          if (hasEnded(job)) historyChanges();
        }}
        onDismiss={(gone) => setStarted((now) => now.filter(({ id }) => id !== gone))}
      />
      <History site={site} tool={name} shown={started} onRepeat={repeat} />
    </Page>
  );
}

function ToolLinks({ site }: { site: string }) {
  const [location] = useLocation();
  return (
    <nav
      aria-label={texts.others}
      className="flex flex-wrap gap-1 max-700:flex-nowrap max-700:-mx-3 max-700:px-3 max-700:py-0.5 max-700:overflow-x-auto max-700:[scrollbar-width:none] max-700:[&_a]:flex-none max-700:[&_a]:min-h-10"
    >
      {TOOLS_IN_ORDER.map((name) => {
        const Icon = iconOf(name);
        const to = `/sites/${site}/tools/${name}`;
        return (
          <Link
            key={name}
            href={to}
            className="inline-flex items-center gap-1.5 min-h-8 px-2 py-0.5 border border-line rounded-[16px] bg-surface text-sm whitespace-nowrap no-underline text-text hover:bg-hover aria-[current=page]:border-accent aria-[current=page]:bg-selected aria-[current=page]:font-semibold [&_svg]:size-3.75"
            aria-current={location === to ? 'page' : undefined}
          >
            <Icon aria-hidden="true" />
            {commandTexts.tools[name]}
          </Link>
        );
      })}
    </nav>
  );
}

interface Props {
  jobs: readonly Job[];
  /** Called with each new state of one. */
  onChange: (job: Job) => void;
  onDismiss: (id: string) => void;
}

/** The commands started on this screen, live, the newest first. */
function Started({ jobs, onChange, onDismiss }: Props) {
  if (jobs.length === 0) return null;
  return (
    <section className="grid gap-4" aria-label={texts.running}>
      {jobs.map((job) => (
        <Run key={job.id} job={job} onChange={onChange} onDismiss={() => onDismiss(job.id)} />
      ))}
    </section>
  );
}

function Run({ job, onChange, onDismiss }: { job: Job; onChange: (job: Job) => void; onDismiss: () => void }) {
  const command = useStartedCommand(job);
  const state = command.job?.state;
  const changed = useEffectEvent(() => {
    if (command.job !== null) onChange(command.job);
  });
  useEffect(() => {
    if (state !== undefined) changed();
  }, [state]);
  const title = titleOfJob(job);
  return (
    <article className={RUN} aria-label={title}>
      <header className={RUN_HEAD}>
        <h2 data-foreign>{title}</h2>
        <IconButton label={texts.dismiss({ command: title })} icon={<X />} onClick={onDismiss} />
      </header>
      <CommandView command={command} showsResult />
    </article>
  );
}

const RUN = 'grid gap-2 min-w-0 px-4 pt-3 pb-4 border border-line rounded-control bg-surface';
const RUN_HEAD =
  'flex flex-wrap items-center justify-between gap-y-1 gap-x-3 [&_h2_code]:text-muted [&_h2_code]:font-normal [&_h2]:min-w-0 [&_h2]:wrap-anywhere';

const SHOWN = 10;
const NONE = { jobs: [], nextCursor: null };

interface HistoryProps {
  site: string;
  tool: Tool;
  /** Jobs that the screen shows already. */
  shown: readonly Job[];
  onRepeat: (job: Job) => void;
}

/** The last runs of a tool on the site: the last one in full, the others in a table. */
function History({ site, tool, shown, onRepeat }: HistoryProps) {
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
    <section className={RUN} aria-label={texts.last}>
      <div className={RUN_HEAD}>
        <h2>
          {texts.last} <JobRequest job={job} />
        </h2>
        <span className="text-muted">
          <Time at={job.createdAt} />
        </span>
      </div>
      <CommandView command={command} showsResult />
    </section>
  );
}
