/** The checklist of the first steps; each line has its next action. */
import texts from 'messages:firstSteps';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { SiteOverview } from '../../../../shared/api/overview.ts';
import { POLL_MS, useAnswer, useChange } from '../../../api/queries.ts';
import { useRights } from '../../../api/rights.ts';
import { calledText } from '../../../text/called.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { KindIcon } from '../../../ui/kind-icon.tsx';
import { makeKeptStore } from '../../../ui/store.ts';
import { useNow } from '../../../ui/time.tsx';
import { showProblem } from '../../../ui/toast.tsx';
import { firstStepOf } from '../../devices/first-step.ts';
import { placeOfAgent } from '../../sites/trouble-list.tsx';
import { isDone, STEPS, type Step, watchable, youngSite } from './first-steps.ts';

const hidden = makeKeptStore('lanreach.first-run');

/** Nothing for an older service, a finished list or a hidden one. */
export function FirstRun({ sites }: { sites: readonly SiteOverview[] }) {
  const rights = useRights();
  const isHidden = hidden.use() !== null;
  const site = youngSite(sites, useNow());
  // Most steps require an administrator.
  if (site === null || isHidden || !rights.may('admin') || !rights.may('nettools:run')) return null;
  return <Checklist site={site} siteCount={sites.length} />;
}

function Checklist({ site, siteCount }: { site: SiteOverview; siteCount: number }) {
  const { id } = site;
  const everyMs = POLL_MS.lively;
  const params = { site: id };
  const facets = useAnswer('GET /devices/facets', { site: id });
  const hooks = useAnswer('GET /hooks', { site: id });
  const tokens = useAnswer('GET /tokens');
  // Polled often, to show the effect of a click at once.
  const live = useAnswer('GET /overview', { site: id }, { everyMs });
  const agents = useAnswer('GET /sites/{site}/agents', { params }, { everyMs });
  const now = live.data?.sites[0] ?? site;
  const known = {
    site: now,
    siteCount,
    named: facets.data?.named,
    hooks: hooks.data?.hooks.length,
    tokens: tokens.data?.tokens.length,
  };
  const first = firstStepOf(agents.data?.agents ?? [], now.discovery);
  const done = STEPS.filter((step) => isDone(step, known));
  // Otherwise a finished list would flash while it loads.
  const isKnown = [facets, hooks, tokens].every(({ data }) => data !== undefined);
  if (!isKnown || done.length === STEPS.length) return null;
  const aboutOf = (step: Step) => (step === 'name' ? texts.about.name({ named: known.named ?? 0 }) : texts.about[step]);
  const next = STEPS.find((step) => !done.includes(step));

  return (
    <section className="card grid gap-3 min-w-0 p-4" aria-label={texts.title}>
      <div className="flex items-center gap-3 [&_button]:ms-auto [&_span]:text-sm">
        <h2>{texts.title}</h2>
        <span className="text-muted" role="status">
          {texts.progress({ done: done.length, all: STEPS.length })}
        </span>
        <Button look="quiet" onClick={() => hidden.set('hidden')}>
          {texts.hide}
        </Button>
      </div>
      <ol className="grid">
        {STEPS.map((step) => (
          <Line key={step} step={step} isDone={done.includes(step)} about={aboutOf(step)}>
            {step === 'agent' ? (
              <LinkButton to={`/sites/${id}${placeOfAgent(now)}`} look="primary">
                {now.agents.length > 0 ? texts.seeAgents : texts.addAgent}
              </LinkButton>
            ) : step === 'watch' ? (
              <WatchAction site={id} agents={agents.data?.agents ?? []} isNext={next === 'watch'} />
            ) : (
              <LinkButton to={LINKS[step].to(id)} look={step === next ? 'primary' : 'plain'}>
                {LINKS[step].label}
              </LinkButton>
            )}
          </Line>
        ))}
      </ol>
      {done.includes('watch') ? <Arrivals site={id} problem={first.step === 'clear' ? first.problem : null} /> : null}
    </section>
  );
}

const LINKS = {
  name: { label: texts.nameThem, to: (site: string) => `/sites/${site}/devices` },
  notify: { label: texts.notify, to: (site: string) => `/sites/${site}/notifications` },
  site: { label: texts.addSite, to: () => '/add-site' },
  token: { label: texts.makeToken, to: () => '/admin/tokens' },
};

interface LineProps {
  step: Step;
  isDone: boolean;
  about: string;
  children: ReactNode;
}

function Line({ step, isDone: done, about, children }: LineProps) {
  return (
    <li
      className="[&+li]:border-t [&+li]:border-line grid grid-cols-[24px_minmax(0,1fr)_auto] items-center gap-3 min-h-11 py-1.5 data-done:min-h-9 max-600:grid-cols-[24px_minmax(0,1fr)] max-600:[&>:nth-child(3)]:col-start-2 max-600:[&>:nth-child(3)]:justify-self-start"
      data-done={done || undefined}
    >
      <span className="grid place-items-center size-5 border-[1.5px] border-control-line rounded-[50%] text-good-text in-data-done:border-good in-data-done:bg-good-soft [&_svg]:size-3.5">
        {done ? <Check aria-hidden="true" /> : null}
      </span>
      <span className="grid gap-px [&_strong]:font-[550] in-data-done:[&_strong]:font-normal in-data-done:[&_strong]:text-muted">
        <strong>{texts.steps[step]}</strong> <span className="visually-hidden">({done ? texts.done : texts.open})</span>
        {done ? null : <span className="text-muted text-sm">{about}</span>}
      </span>
      {done ? null : children}
    </li>
  );
}

type Agents = Parameters<typeof firstStepOf>[0];

function WatchAction({ site, agents, isNext }: { site: string; agents: Agents; isNext: boolean }) {
  const change = useChange('PATCH /sites/{site}');
  const networks = watchable(agents);
  const turnOn = () =>
    change.mutate({ params: { site }, body: { discovery: { enabled: true } } }, { onError: showProblem });
  return (
    <Button look={isNext ? 'primary' : 'plain'} disabled={change.isPending} onClick={turnOn}>
      {networks.length === 0
        ? texts.turnOn
        : texts.turnOnFor({ networks: `${networks.slice(0, 2).join(', ')}${networks.length > 2 ? ' …' : ''}` })}
    </Button>
  );
}

const SHOWN = 12;

/** @param problem the reason that none arrives; null: no known reason */
function Arrivals({ site, problem }: { site: string; problem: string | null }) {
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { status: 'my', fields: 'all', sort: '-firstConnection', limit: SHOWN } },
    { everyMs: POLL_MS.lively },
  );
  const devices = (data?.devices ?? []).flatMap((device) => ('devMac' in device ? [device] : []));
  if (problem !== null && devices.length === 0) {
    return (
      <p className="text-warn text-sm">
        {texts.hindered} <span data-foreign>{problem}</span>{' '}
        <Link href={`/sites/${site}/settings`}>{texts.settings}</Link>
      </p>
    );
  }
  return (
    <div className="grid gap-2 pt-3 border-t border-line">
      <p role="status" className="flex gap-3 font-[550] [&_a]:font-normal">
        {devices.length === 0 ? texts.looking : texts.found({ count: data?.total ?? devices.length })}
        {devices.length === 0 ? null : <Link href={`/sites/${site}/devices`}>{texts.all}</Link>}
      </p>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(220px,100%),1fr))] gap-2 [&_a>span]:grid [&_a>span]:min-w-0 [&_a>span]:wrap-anywhere [&_a:hover]:bg-hover [&_small]:text-muted [&_small]:[font:0.75rem_var(--mono)]">
        {devices.map((device) => (
          <li
            key={device.key}
            className="transition-[opacity,translate] duration-400 ease-out starting:opacity-0 starting:translate-y-2"
          >
            <a
              href={`#/sites/${site}/devices/${encodeURIComponent(device.key)}`}
              className="flex items-center gap-2 min-w-0 px-2 py-1.5 rounded-control bg-sunken text-text no-underline"
            >
              <KindIcon type={device.devType} />
              <span data-foreign>
                {calledText(device) || device.devMac}
                <small>{device.devLastIP}</small>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
