/** The runs of a site, live, filtered by tool, state, device and actor. */
import actorTexts from 'messages:actors';
import commandTexts from 'messages:commands';
import texts from 'messages:runs';
import { ListChecks } from 'lucide-react';
import type { Job } from '../../../shared/api/jobs.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { JobTable } from '../../commands/job-table.tsx';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { TargetField } from '../../commands/target-field.tsx';
import { TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { useJobs } from '../../commands/use-jobs.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { MoreButton } from '../../ui/more-button.tsx';
import { Options } from '../../ui/options.tsx';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { RunMenu } from './run-menu.tsx';

const PAGE_SIZE = 50;
const MAX_ABOUT = 300;
const SCHEDULE = 'schedule:';
const STATES = Object.keys(commandTexts.states) as Job['state'][];

export default function Runs({ site }: { site: string }) {
  return (
    <NeedsNettools title={texts.title}>
      <RunList site={site} />
    </NeedsNettools>
  );
}

function RunList({ site }: { site: string }) {
  const [filters, setFilters] = useHashQuery();
  const rights = useRights();
  const tool = TOOLS_IN_ORDER.find((name) => name === filters.get('tool'));
  const state = STATES.find((name) => name === filters.get('state'));
  const actor = filters.get('actor') ?? '';
  const device = filters.get('device') ?? '';
  const about = useSettled(device.trim().slice(0, MAX_ABOUT), 300);
  const schedules = useAnswer('GET /schedules', { site }, { everyMs: POLL_MS.calm, when: rights.may('devices:read') });
  const list = useJobs(site, {
    limit: PAGE_SIZE,
    tool,
    state,
    actor: actorIn(actor, rights.tokenId),
    about: about === '' ? undefined : about,
  });

  /** The site has no runs yet. */
  const isBlank =
    filters.size === 0 && !list.hasNextPage && list.data?.pages.every(({ jobs }) => jobs.length === 0) === true;

  function filter(name: string, value: string): void {
    const next = new URLSearchParams(filters);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setFilters(next, { replace: true });
  }

  return (
    <Page title={texts.title} actions={isBlank ? undefined : <LinkButton to="/batches">{texts.toBatches}</LinkButton>}>
      <search
        className="grid grid-cols-[repeat(auto-fit,minmax(150px,1fr))] gap-3 w-[min(100%,860px)] [&[hidden]]:hidden"
        aria-label={texts.filters}
        hidden={isBlank}
      >
        <Choice
          label={texts.tool}
          value={tool ?? ''}
          any={texts.anyTool}
          options={TOOLS_IN_ORDER.map((name) => [name, commandTexts.tools[name]])}
          onChange={(value) => filter('tool', value)}
        />
        <Choice
          label={commandTexts.columns.state}
          value={state ?? ''}
          any={texts.anyState}
          options={STATES.map((name) => [name, commandTexts.states[name]])}
          onChange={(value) => filter('state', value)}
        />
        <TargetField
          site={site}
          label={texts.device}
          placeholder={texts.deviceHint}
          value={device}
          takes={({ ip, mac }) => [ip, mac].filter((part) => part !== '').join(',')}
          onChange={(value) => filter('device', value)}
        />
        <Choice
          label={commandTexts.columns.actor}
          value={actor}
          any={texts.anyActor}
          options={[
            ['me', texts.mine],
            ...(schedules.data?.schedules ?? []).map(
              ({ id, name }) => [`${SCHEDULE}${id}`, actorTexts.schedule({ name })] as const,
            ),
          ]}
          onChange={(value) => filter('actor', value)}
        />
      </search>
      <Answered of={list}>
        {({ pages }) => {
          const jobs = pages.flatMap((page) => page.jobs);
          const unreadable = pages.flatMap((page) => page.unreadable);
          return (
            <>
              {jobs.length === 0 ? (
                <NoRuns
                  site={site}
                  isFiltered={filters.size > 0}
                  hasOlder={list.hasNextPage}
                  onClear={() => setFilters(new URLSearchParams(), { replace: true })}
                />
              ) : (
                <JobTable label={texts.list} jobs={jobs} showsTool actions={(job) => <RunMenu job={job} />} />
              )}
              {unreadable.length === 0 ? null : <p role="status">{texts.unreadable({ count: unreadable.length })}</p>}
              <MoreButton of={list} />
            </>
          );
        }}
      </Answered>
      {isBlank ? null : <p className="text-muted">{texts.hint}</p>}
    </Page>
  );
}

/** The actor in the address as the API takes it; undefined for one that the page does not offer. */
function actorIn(actor: string, own: string): string | undefined {
  if (actor === 'me') return own;
  return actor.startsWith(SCHEDULE) ? actor.slice(0, 100) : undefined;
}

interface ChoiceProps {
  label: string;
  value: string;
  /** The option without a filter. */
  any: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

function Choice({ label, value, any, options, onChange }: ChoiceProps) {
  return (
    <SelectField label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{any}</option>
      <Options of={options} />
    </SelectField>
  );
}

interface NoRunsProps {
  site: string;
  isFiltered: boolean;
  /** A page may be empty although later ones are not: the API reads a part of the jobs at a time. */
  hasOlder: boolean;
  onClear: () => void;
}

function NoRuns({ site, isFiltered, hasOlder, onClear }: NoRunsProps) {
  if (hasOlder) {
    return (
      <Empty title={texts.noneHere}>
        <p>{texts.noneHereHint}</p>
      </Empty>
    );
  }
  if (isFiltered) {
    return (
      <Empty title={texts.noMatch}>
        <p>{texts.noMatchHint}</p>
        <Button onClick={onClear}>{texts.clear}</Button>
      </Empty>
    );
  }
  return (
    <Empty title={texts.empty} icon={ListChecks}>
      <p>{texts.emptyHint}</p>
      <LinkButton to={`/sites/${site}/tools`} look="primary">
        {texts.toTools}
      </LinkButton>
    </Empty>
  );
}
