/** A site in a line. */
import overviewTexts from 'messages:overview';
import texts from 'messages:sites';
import { memo, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { useAnswer } from '../../api/queries.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { DayBand } from '../../ui/sparkline.tsx';
import { Status, StatusShape } from '../../ui/status.tsx';
import { TagList } from '../../ui/tags-field.tsx';
import { agentName } from '../agents/agent-name.ts';
import { TONES } from '../agents/agent-state.tsx';
import { PRESENCE_POLL_MS } from '../overview/day.ts';
import { mbpsText } from '../overview/mbps-text.ts';
import { isEverWatched } from './attention.ts';
import { TroubleList } from './trouble-list.tsx';

/** Links large enough for a finger. */
const LINKS =
  '[&_a]:inline-block [&_a]:min-h-6 [&_a]:text-text [&_a]:leading-6 [&_a]:no-underline [&_a:hover]:underline';
const INTERNET = `${LINKS} grid gap-0.5 max-900:text-end [&_small]:text-muted [&_small]:text-sm [&_span]:text-sm`;
const DAY = 'max-900:empty:hidden max-900:row-3';

const MOST_AGENTS = 3;

export const SiteRow = memo(function SiteRow({ site, mayAdminister }: { site: SiteOverview; mayAdminister: boolean }) {
  const { id, name, tags, devices } = site;
  return (
    <li className="grid grid-cols-(--columns) items-center gap-y-1 gap-x-4 min-h-14 px-4 py-2 hover:bg-hover max-900:grid-cols-[minmax(0,1fr)_auto] max-900:items-start max-900:gap-y-2 max-900:gap-x-4 max-900:py-3 [&+li]:border-t [&+li]:border-line">
      <div className="grid gap-0.5 min-w-0 wrap-anywhere max-900:col-span-full [&_a]:text-text [&_a]:no-underline [&_a:hover]:underline">
        <h2>
          <Link href={`/sites/${id}`} data-foreign>
            {name}
          </Link>
        </h2>
        {tags.length === 0 ? null : <TagList tags={tags} />}
        <TroubleList site={site} />
      </div>
      <Devices site={site} />
      {devices === null || devices.my === 0 || !isEverWatched(site) ? (
        <span className={DAY} />
      ) : (
        <div className={DAY}>
          <OnlineBand site={id} />
        </div>
      )}
      <Internet site={site} />
      <div className="min-w-0 text-sm max-900:col-span-full">
        {site.agents.length > 0 ? (
          <AgentDots site={site} />
        ) : mayAdminister ? (
          <Link href={`/sites/${id}/agents/new`} className="inline-block min-h-6 leading-6">
            {texts.addAgent}
          </Link>
        ) : (
          <span className="text-muted">{texts.noAgent}</span>
        )}
      </div>
    </li>
  );
});

function Devices({ site }: { site: SiteOverview }) {
  const { id, name, devices, unknown } = site;
  if (devices === null) return <div className="text-muted">{texts.counting}</div>;
  if (devices.my === 0) return <div className="text-muted">{texts.noDevices}</div>;
  // Not Links of the router, which would move the query in front of the hash.
  const list = (status: string) => `#/sites/${id}/devices?status=${status}`;
  return (
    <div className={`${LINKS} flex flex-wrap items-baseline gap-y-1 gap-x-3`}>
      <a href={list('my')} className="[&_strong]:text-lg [&_strong]:font-semibold">
        <strong>{numberText(devices.online)}</strong>
        <span className="text-muted">
          {' / '}
          {numberText(devices.my)} {texts.online}
        </span>
        <span className="visually-hidden"> {texts.devicesOf({ site: name })}</span>
      </a>
      {unknown === null || unknown === 0 ? null : (
        <Status tone="imported">{texts.notMonitored({ count: unknown })}</Status>
      )}
      {devices.new === 0 ? null : (
        <a href={list('new')} className="text-sm text-new!">
          {texts.newOf({ count: devices.new })}{' '}
          <span className="visually-hidden">{texts.devicesOf({ site: name })}</span>
        </a>
      )}
    </div>
  );
}

function Internet({ site: { id, name, internet } }: { site: SiteOverview }) {
  const { speed } = internet;
  if (speed === null) return <div className={`${INTERNET} text-muted text-sm max-900:hidden`}>{texts.notMeasured}</div>;
  return (
    <div className={INTERNET}>
      <Link href={`/sites/${id}/internet`} title={texts.speedOf({ site: name })}>
        {texts.speed({ down: mbpsText(speed.downMbps), up: mbpsText(speed.upMbps) })} <small>{texts.speedUnit}</small>
      </Link>
      <span className="text-muted">{texts.ping({ ms: measuredText(speed.pingMs) })}</span>
    </div>
  );
}

/** By name, the offline ones first and in words. */
function AgentDots({ site }: { site: SiteOverview }) {
  const isAway = ({ state }: SiteOverview['agents'][number]) => state === 'offline';
  const ordered = [...site.agents].sort((a, b) => Number(isAway(b)) - Number(isAway(a)));
  const left = ordered.length - MOST_AGENTS;
  return (
    <ul className="flex flex-wrap gap-y-0.5 gap-x-3 [&_li]:flex [&_li]:items-center [&_li]:gap-1.5 [&_li]:min-w-0 [&_li]:wrap-anywhere">
      {ordered.slice(0, MOST_AGENTS).map((agent) => (
        <li key={agent.id}>
          <StatusShape tone={TONES[agent.state]} />
          <span data-foreign>{agentName(agent.id)}</span>
          {agent.state === 'online' ? (
            <span className="visually-hidden">{overviewTexts.agentStates.online}</span>
          ) : (
            <span className="text-muted">{overviewTexts.agentStates[agent.state]}</span>
          )}
        </li>
      ))}
      {left > 0 ? <li className="text-muted">+{numberText(left)}</li> : null}
    </ul>
  );
}

/** Loads when it scrolls into view. */
function OnlineBand({ site }: { site: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && setInSight(true));
    if (place.current !== null) watcher.observe(place.current);
    return () => watcher.disconnect();
  }, []);
  const { data } = useAnswer('GET /devices/presence', { site }, { everyMs: PRESENCE_POLL_MS, when: isInSight });
  const known = data?.online.filter((count) => count !== null) ?? [];
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const label =
    known.length === 0 ? overviewTexts.dayUnknown : overviewTexts.day({ isSteady: least === most, least, most });
  const slots = data?.online.map((count) => (count === null ? '?' : count === 0 ? '.' : '#')).join('') ?? '';
  return (
    <span ref={place} className="block h-2" title={label}>
      {data === undefined ? null : <DayBand {...{ slots, label }} width={144} height={8} />}
    </span>
  );
}
