/** What a person has to do at a site, the worst first, each with its action. */
import texts from 'messages:overview';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import type { ListedAgent } from '../../../shared/api/records.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { reasonText } from '../../text/said-texts.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Status } from '../../ui/status.tsx';
import { AgentLink } from '../agents/agent-link.tsx';
import { agentName } from '../agents/agent-name.ts';
import { updateText } from '../agents/agent-state.tsx';
import { isWatched, troublesOf } from '../sites/attention.ts';
import { useFirstDevices } from '../sites/first-devices.tsx';
import { aboutTrouble, placeOfAgent, toneOf } from '../sites/trouble-list.tsx';
import { NeedRow, Since } from './card-head.tsx';
import { DeviceNeed } from './device-need.tsx';
import { shares } from './rows.ts';

const MOST = 6;

interface Kind {
  rows: readonly ReactNode[];
  /** With those that are not loaded. */
  count?: number | undefined;
  more?: typeof texts.moreDown;
  /** The whole list. */
  to: string;
}

export function NeedsAttention({ site }: { site: SiteOverview }) {
  const { id, devices, checksDown } = site;
  const heading = useRef<HTMLHeadingElement>(null);
  const rights = useRights();
  const down = useFirstDevices([site], 'down');
  const found = useFirstDevices([site], 'new');
  const checks = useAnswer('GET /checks', { site: id }, { when: checksDown > 0 });
  const agents = useAnswer(
    'GET /sites/{site}/agents',
    { params: { site: id } },
    { everyMs: POLL_MS.calm, when: rights.may('nettools:run') },
  );
  const failing = checks.data?.checks.filter(({ state, enabled }) => enabled && state === 'down') ?? [];
  // A row that goes takes the focus with it.
  const rowsOf = (status: 'down' | 'new', listed: typeof down) =>
    listed.map((device) => (
      <DeviceNeed key={device.key} {...{ site: id, status, device }} onDone={() => heading.current?.focus()} />
    ));
  const kinds: Kind[] = [
    { rows: isWatched(site) ? [] : [<NotMonitored key="" site={site} />], to: '' },
    { rows: siteRows(site), to: '/events' },
    {
      rows: failing.map(({ id: check, label, since, reason, reasonCode }) => (
        <NeedRow
          key={check}
          tone="bad"
          name={
            <Link href={`/sites/${id}/checks/${check}`}>
              <span data-foreign>{label}</span>
            </Link>
          }
          actions={<LinkButton to={`/sites/${id}/checks/${check}`}>{texts.seeWhy}</LinkButton>}
        >
          {reasonText(reason, reasonCode) ?? texts.checkFails}, <Since at={since} />
        </NeedRow>
      )),
      more: texts.moreChecks,
      to: '/checks',
    },
    { rows: rowsOf('down', down), count: devices?.down, more: texts.moreDown, to: '/devices?status=down' },
    { rows: agentRows(site, agents.data?.agents ?? []), more: texts.moreAgents, to: '/settings' },
    { rows: rowsOf('new', found), count: devices?.new, more: texts.moreNew, to: '/devices?status=new' },
  ];
  const shown = shares(
    kinds.map(({ rows }) => rows.length),
    MOST,
  );
  const isEmpty = shown.every((rows) => rows === 0);
  const isLoading = (devices?.down ?? 0) + (devices?.new ?? 0) + checksDown > 0;
  return (
    <section className="card grid gap-2 min-w-0 px-4 py-3" aria-labelledby="attention">
      <h2 id="attention" ref={heading} tabIndex={-1} className={isEmpty ? 'visually-hidden' : 'outline-none'}>
        {texts.attention}
      </h2>
      {isEmpty ? (
        <Status tone={isLoading ? 'unknown' : 'good'}>
          <span className="text-text">{isLoading ? texts.attention : texts.calm}</span>
        </Status>
      ) : (
        <ul className="grid -my-1 [&>li+li]:border-t [&>li+li]:border-line" aria-labelledby="attention">
          {kinds.flatMap(({ rows }, kind) => rows.slice(0, shown[kind]))}
        </ul>
      )}
      <p className="flex flex-wrap gap-x-4 text-sm empty:hidden [&_a]:no-underline [&_a:hover]:underline">
        {kinds.map(({ rows, count = rows.length, more, to }, kind) => {
          const left = count - (shown[kind] ?? 0);
          return more === undefined || left <= 0 || rows.length === 0 ? null : (
            <Link key={to} href={`/sites/${id}${to}`}>
              {more({ count: left })}
            </Link>
          );
        })}
      </p>
    </section>
  );
}

/** Without an agent that monitors, no known problem does not mean that all is well. */
function NotMonitored({ site }: { site: SiteOverview }) {
  const rights = useRights();
  const { id, agents } = site;
  const isOn = agents.some(({ state }) => state === 'online');
  const why = agents.length === 0 ? 'noAgent' : isOn ? 'off' : 'offline';
  const to = `/sites/${id}${isOn ? '/settings' : placeOfAgent(site)}`;
  return (
    <NeedRow
      tone="warn"
      name={texts.notMonitored.title}
      actions={
        rights.may('admin') || why === 'offline' ? (
          <LinkButton to={to} look={why === 'noAgent' ? 'primary' : 'plain'}>
            {why === 'noAgent' ? texts.addAgent : isOn ? texts.openSettings : texts.seeWhy}
          </LinkButton>
        ) : null
      }
    >
      {texts.notMonitored[why]}
    </NeedRow>
  );
}

function siteRows(site: SiteOverview): ReactNode[] {
  return troublesOf(site).flatMap((trouble) => {
    if (trouble !== 'outage' && trouble !== 'internet' && trouble !== 'slow') return [];
    const { text, since, to } = aboutTrouble(site, trouble);
    const place = `/sites/${site.id}${to}`;
    return [
      <NeedRow
        key={trouble}
        tone={toneOf(trouble)}
        name={<Link href={place}>{text}</Link>}
        actions={<LinkButton to={place}>{texts.seeWhy}</LinkButton>}
      >
        <Since at={since} />
      </NeedRow>,
    ];
  });
}

/** Offline, or with a problem. @param listed with more about each; empty where the token may not read it */
function agentRows({ id: site, agents }: SiteOverview, listed: readonly ListedAgent[]): ReactNode[] {
  return agents.flatMap((agent) => {
    const { id, state, since, update } = agent;
    const { problem = null, discovery = null } = listed.find((one) => one.id === id) ?? {};
    const isOffline = state === 'offline';
    const failed = update?.last?.state === 'failed' ? updateText(agent) : '';
    const wrong = problem ?? discovery?.problem ?? failed;
    if (!isOffline && wrong === '') return [];
    return [
      <NeedRow
        key={id}
        tone="warn"
        name={<AgentLink site={site} agent={agent} />}
        actions={<LinkButton to={`/sites/${site}/agents/${agentName(id)}`}>{texts.seeWhy}</LinkButton>}
      >
        {isOffline ? texts.agentOffline : <span data-foreign>{wrong}</span>} {isOffline ? <Since at={since} /> : null}
      </NeedRow>,
    ];
  });
}
