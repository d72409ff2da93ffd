/** A line for each site of a batch, by name: its state and result. */
import texts from 'messages:batches';
import common from 'messages:common';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import type { BatchSite } from '../../../shared/api/batches.ts';
import { durationText, language, numberText } from '../../text/format.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import styles from './batches.module.css';
import { type Part, partOf, resultOf, stateText, toneOf } from './site-state.tsx';

/** As many as a browser redraws without a pause while they change. */
const ROWS = 200;
const names = new Intl.Collator(language, { numeric: true });

interface Props {
  sites: ReadonlyMap<string, BatchSite>;
  /** Null for all. */
  part: Part | null;
  nameOf: (site: string) => string;
}

export function SiteLines({ sites, part, nameOf }: Props) {
  const [shownRows, setShownRows] = useState(ROWS);
  const found = [...sites.values()]
    .filter(({ state }) => part === null || partOf(state) === part)
    .sort((a, b) => names.compare(nameOf(a.site), nameOf(b.site)));
  return (
    <section aria-label={texts.results} className="grid gap-2">
      <h2>{texts.results}</h2>
      {found.length === 0 ? (
        <Empty title={texts.noneOf} />
      ) : (
        <ul className="card overflow-hidden">
          {found.slice(0, shownRows).map((one) => (
            <SiteLine key={one.site} one={one} name={nameOf(one.site)} />
          ))}
        </ul>
      )}
      {found.length > shownRows ? (
        <div>
          <Button onClick={() => setShownRows(shownRows + 5 * ROWS)}>
            {common.more} ({numberText(found.length - shownRows)})
          </Button>
        </div>
      ) : null}
    </section>
  );
}

const SiteLine = memo(function SiteLine({ one, name }: { one: BatchSite; name: string }) {
  const { site, state, job, startedAt, endedAt } = one;
  const tookMs = startedAt === null || endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <li className={styles.site}>
      <span className={`${styles.name} wrap-anywhere [&_a:hover]:underline`} data-foreign>
        {job === null ? name : <Link href={`/sites/${site}/runs/${job}`}>{name}</Link>}
      </span>
      <span className="max-700:text-end">
        {state === 'succeeded' ? (
          <span className="text-muted">{stateText(state)}</span>
        ) : (
          <Status tone={toneOf(state)}>{stateText(state)}</Status>
        )}
      </span>
      <span className="wrap-anywhere max-700:row-2" data-foreign>
        {resultOf(one)}
      </span>
      <span className="text-muted text-end whitespace-nowrap max-700:row-2">
        {tookMs === null ? '' : durationText(Math.max(0, tookMs))}
      </span>
    </li>
  );
});
