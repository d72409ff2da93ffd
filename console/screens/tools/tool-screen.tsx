/** One tool: its form, what was started here, and what it has been used for before. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { requestQuery } from '../../commands/job-texts.ts';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { hasEnded } from '../../commands/use-command.ts';
import { LinkButton } from '../../ui/button.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Card, Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { AgentWarning } from './agents.tsx';
import { type ToolForm as Form, formOf } from './form-fields.ts';
import { History } from './history.tsx';
import { Runs } from './runs.tsx';
import { texts } from './texts.ts';
import { ToolForm } from './tool-form.tsx';
import { iconOf, TOOLS_IN_ORDER } from './tool-icons.ts';
import { descriptionOf } from './tool-texts.ts';
import styles from './tools.module.css';

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
        <KnownTool site={site} form={form} />
      )}
    </NeedsNettools>
  );
}

/** Each is a connection of its own while it runs, of which a browser allows six to a host. */
const MAX_RUNS = 4;

function KnownTool({ site, form }: { site: string; form: Form }) {
  const { tool } = form;
  const [address, replaceAddress] = useHashQuery();
  const [fills, setFills] = useState(0);
  const [runs, setRuns] = useState<readonly Job[]>([]);
  const [followed, setFollowed] = useState<ReadonlyMap<string, Job>>(new Map());
  const queries = useQueryClient();
  const historyChanges = () => void queries.invalidateQueries({ queryKey: ['pages', 'GET /jobs'] });

  function repeat(job: Job): void {
    replaceAddress(new URLSearchParams(requestQuery(job)), { replace: true });
    setFills(fills + 1); // The same values again fill the form in again.
  }

  return (
    <Page title={tool.name}>
      <ToolLinks site={site} />
      <p className={styles.muted}>{descriptionOf(tool)}.</p>
      <AgentWarning site={site} programs={Object.keys(tool.programs)} />
      <Card>
        <ToolForm
          key={`${fills} ${address}`}
          site={site}
          form={form}
          query={address}
          onStarted={(job) => {
            setRuns((now) => [job, ...now].slice(0, MAX_RUNS));
            historyChanges();
          }}
        />
      </Card>
      <Runs
        jobs={runs}
        onChange={(job) => {
          setFollowed((now) => new Map(now).set(job.id, job));
          if (hasEnded(job)) historyChanges();
        }}
        onDismiss={(gone) => setRuns((now) => now.filter(({ id }) => id !== gone))}
      />
      <History site={site} tool={form.tool.name} followed={followed} onRepeat={repeat} />
    </Page>
  );
}

function ToolLinks({ site }: { site: string }) {
  return (
    <nav aria-label={texts.others} className={styles.links}>
      {TOOLS_IN_ORDER.map((name) => (
        <ToolLink key={name} site={site} name={name} />
      ))}
    </nav>
  );
}

function ToolLink({ site, name }: { site: string; name: (typeof TOOLS_IN_ORDER)[number] }) {
  const Icon = iconOf(name);
  const to = `/sites/${site}/tools/${name}`;
  const [location] = useLocation();
  return (
    <Link href={to} className={styles.link} aria-current={location === to ? 'page' : undefined}>
      <Icon aria-hidden="true" />
      {name}
    </Link>
  );
}
