/** One site at a glance. */
import { memo } from 'react';
import { Link } from 'wouter';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Status, StatusShape, type Tone } from '../../ui/status.tsx';
import { Moment, Time } from '../../ui/time.tsx';
import { AgentState, loadText, updateText } from '../agents/agent-state.tsx';
import { agentTexts } from '../agents/texts.ts';
import { type Trouble, troublesOf } from './attention.ts';
import styles from './site-row.module.css';
import { texts } from './texts.ts';

const COUNTS = ['my', 'online', 'offline', 'down', 'new'] as const;
const TONES: Partial<Record<(typeof COUNTS)[number], Tone>> = { online: 'good', offline: 'calm', down: 'bad' };
/** The others are on the page of the settings. */
const MOST_AGENTS = 3;

/** @param mayAdminister whether to offer what only an administrator may do */
export const SiteRow = memo(function SiteRow({ site, mayAdminister }: { site: SiteOverview; mayAdminister: boolean }) {
  const { id, name, staleSince, lastChangeAt } = site;
  return (
    <li className={styles.site} data-stale={staleSince === null ? undefined : true}>
      <div className={styles.name}>
        <h2>
          <Link href={`/sites/${id}/devices`} data-foreign>
            {name}
          </Link>
        </h2>
        <span className={styles.quiet}>
          {name === id ? null : id}
          {name === id || site.discovery.enabled ? null : ' · '}
          {site.discovery.enabled ? null : texts.discoveryOff}
        </span>
      </div>
      <Counts site={site} />
      <Agents site={site} mayAdminister={mayAdminister} />
      <div className={styles.change}>
        <span className={`${styles.quiet} ${styles.changeLabel}`}>{texts.lastChange}</span>{' '}
        {lastChangeAt === null ? texts.noChange : <Time at={lastChangeAt} />}
        <Speed site={site} />
      </div>
      <Troubles site={site} />
      {staleSince !== null || !(site.unknown ?? 0) ? null : (
        <div className={styles.stale}>
          <Status tone={isEverWatched(site) ? 'unknown' : 'imported'}>{unknownText(site)}</Status>
        </div>
      )}
      {staleSince === null ? null : (
        <div className={styles.stale}>
          <Status tone="warn">
            <span>
              {texts.stale} <Moment at={staleSince} />
            </span>
          </Status>
        </div>
      )}
    </li>
  );
});

function Speed({ site: { id, name, internet } }: { site: SiteOverview }) {
  const { speed } = internet;
  if (speed === null) return null;
  return (
    <div>
      <Link href={`/sites/${id}/internet`} title={texts.speedOf(name)} className={styles.speed}>
        {texts.speed(measuredText(speed.downMbps), measuredText(speed.upMbps))}
      </Link>
    </div>
  );
}

function Troubles({ site }: { site: SiteOverview }) {
  const troubles = troublesOf(site);
  if (troubles.length === 0) return null;
  return (
    <ul className={styles.troubles} aria-label={texts.troubles(site.name)}>
      {troubles.map((trouble) => (
        <li key={trouble}>
          <TroubleLine site={site} trouble={trouble} />
        </li>
      ))}
    </ul>
  );
}

function TroubleLine({ site, trouble }: { site: SiteOverview; trouble: Trouble }) {
  const { id, darkSince, outages, internet, checksDown } = site;
  const lines = {
    dark: { path: '/settings', text: texts.stale, since: darkSince },
    outage: { path: '/events?type=outage', text: texts.outage(outages.devices), since: outages.since },
    internet: { path: '/internet', text: texts.internetLost, since: internet.lostSince },
    checks: { path: '/checks', text: texts.checksDown(checksDown), since: null },
    slow: { path: '/internet', text: texts.slow, since: internet.speed?.slowSince ?? null },
  };
  const { path, text, since } = lines[trouble];
  return (
    <Status tone={trouble === 'slow' || trouble === 'dark' ? 'warn' : 'bad'}>
      <Link href={`/sites/${id}${path}`}>
        {text} {since === null ? null : <Moment at={since} />}
      </Link>
    </Status>
  );
}

/** Whether an agent has ever watched a network of the site. */
function isEverWatched({ coverage: { watched, unwatched } }: SiteOverview): boolean {
  return watched.length + unwatched.length > 0;
}

function unknownText(site: SiteOverview): string {
  if (!isEverWatched(site)) return texts.asImported;
  return site.coverage.watched.length === 0 ? texts.notWatched : texts.unknown(site.unknown ?? 0);
}

/** Where no agent watches, no number is shown as if it were known. */
function toneOf(kind: (typeof COUNTS)[number], site: SiteOverview): Tone | undefined {
  const tone = TONES[kind];
  if (tone === undefined || site.coverage.watched.length > 0) return tone;
  return isEverWatched(site) ? 'unknown' : 'imported';
}

function Counts({ site }: { site: SiteOverview }) {
  const { id, name, devices } = site;
  if (devices === null) return <div className={styles.quiet}>{texts.counting}</div>;
  return (
    <ul className={styles.counts}>
      {COUNTS.map((kind) => {
        const count = devices[kind];
        const tone = count === 0 ? undefined : toneOf(kind, site);
        const word = texts.counts[kind];
        return (
          <li key={kind}>
            {/* Not a Link of the router, which would move the query in front of the hash. */}
            <a href={`#/sites/${id}/devices?status=${kind}`} data-none={count === 0 || undefined}>
              <span className={styles.count}>
                {tone === undefined ? null : <StatusShape tone={tone} />}
                {numberText(count)}
              </span>{' '}
              <span className={styles.kind}>{word}</span> <span className="visually-hidden">{name}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function Agents({ site: { id, agents }, mayAdminister }: { site: SiteOverview; mayAdminister: boolean }) {
  if (agents.length === 0) {
    return (
      <div className={styles.noAgent}>
        <Status tone="calm">{texts.noAgent}</Status>
        {mayAdminister ? <LinkButton to={`/sites/${id}/agents/new`}>{texts.addAgent}</LinkButton> : null}
      </div>
    );
  }
  // Those that are away first: they are what wants attention.
  const ordered = [...agents].sort((a, b) => Number(b.state === 'offline') - Number(a.state === 'offline'));
  const left = agents.length - MOST_AGENTS;
  return (
    <ul className={styles.agents}>
      {ordered.slice(0, MOST_AGENTS).map((agent) => (
        <li key={agent.id}>
          <AgentState agent={agent} isNamed />
          <span className={styles.quiet}>
            {[agent.version === null ? '' : agentTexts.version(agent.version), updateText(agent), loadText(agent.load)]
              .filter((part) => part !== '')
              .join(' · ')}
          </span>
        </li>
      ))}
      {left > 0 ? <li className={styles.quiet}>{texts.moreAgents(left)}</li> : null}
    </ul>
  );
}
