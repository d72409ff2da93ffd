/** One site at a glance. */
import { memo } from 'react';
import { Link } from 'wouter';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { measuredText, numberText } from '../../text/format.ts';
import { Status } from '../../ui/status.tsx';
import { TagList } from '../../ui/tags-field.tsx';
import { AgentDots } from '../overview/agent-dots.tsx';
import { mbpsText } from '../overview/mbps-text.ts';
import { OnlineBand } from '../overview/online-band.tsx';
import { isEverWatched } from './attention.ts';
import styles from './site-row.module.css';
import { texts } from './texts.ts';
import { TroubleList } from './trouble-list.tsx';

const MOST_TROUBLES = 2;

/** @param mayAdminister whether to offer what only an administrator may do */
export const SiteRow = memo(function SiteRow({ site, mayAdminister }: { site: SiteOverview; mayAdminister: boolean }) {
  const { id, name, tags, devices } = site;
  return (
    <li className={styles.site}>
      <div className={styles.name}>
        <h2>
          <Link href={`/sites/${id}`} data-foreign>
            {name}
          </Link>
        </h2>
        {tags.length === 0 ? null : <TagList tags={tags} />}
        <TroubleList site={site} most={MOST_TROUBLES} />
      </div>
      <Devices site={site} />
      {devices === null || devices.my === 0 || !isEverWatched(site) ? (
        <span className={styles.day} />
      ) : (
        <div className={styles.day}>
          <OnlineBand site={id} all={devices.my} />
        </div>
      )}
      <Internet site={site} />
      <div className={styles.agents}>
        {site.agents.length > 0 ? (
          <AgentDots site={site} />
        ) : mayAdminister ? (
          <Link href={`/sites/${id}/agents/new`}>{texts.addAgent}</Link>
        ) : (
          <span className="muted">{texts.noAgent}</span>
        )}
      </div>
    </li>
  );
});

function Devices({ site }: { site: SiteOverview }) {
  const { id, name, devices, unknown } = site;
  if (devices === null) return <div className="muted">{texts.counting}</div>;
  if (devices.my === 0) return <div className="muted">{texts.noDevices}</div>;
  // Not Links of the router, which would move the query in front of the hash.
  const list = (status: string) => `#/sites/${id}/devices?status=${status}`;
  return (
    <div className={styles.devices}>
      <a href={list('my')} className={styles.online}>
        <strong>{numberText(devices.online)}</strong>
        <span className="muted">
          {' / '}
          {numberText(devices.my)} {texts.online}
        </span>
        <span className="visually-hidden"> {texts.devicesOf(name)}</span>
      </a>
      {unknown === null || unknown === 0 ? null : <Status tone="imported">{texts.notMonitored(unknown)}</Status>}
      {devices.new === 0 ? null : (
        <a href={list('new')} className={styles.new}>
          {texts.newOf(devices.new)} <span className="visually-hidden">{texts.devicesOf(name)}</span>
        </a>
      )}
    </div>
  );
}

function Internet({ site: { id, name, internet } }: { site: SiteOverview }) {
  const { speed } = internet;
  if (speed === null) return <div className={`${styles.internet} ${styles.empty}`}>{texts.notMeasured}</div>;
  return (
    <div className={styles.internet}>
      <Link href={`/sites/${id}/internet`} title={texts.speedOf(name)}>
        {texts.speed(mbpsText(speed.downMbps), mbpsText(speed.upMbps))} <small>{texts.speedUnit}</small>
      </Link>
      <span className="muted">{texts.ping(measuredText(speed.pingMs))}</span>
    </div>
  );
}
