/** The last changes of a site since yesterday. */
import { Link } from 'wouter';
import type { ChangeGroup } from '../../../shared/api/changes.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { sentenceText } from '../changes/spoken.ts';
import { deviceLabel } from '../events/sentence.ts';
import { CardHead } from './card-head.tsx';
import styles from './overview.module.css';
import { useYesterday } from './site-numbers.tsx';
import { texts } from './texts.ts';

const LINES = 5;

export function ChangedCard({ site }: { site: string }) {
  const since = useYesterday();
  const answer = useAnswer('GET /changes', { site, query: { since, limit: LINES } }, { everyMs: POLL_MS.calm });
  return (
    <Card>
      <CardHead title={texts.changed} to={`/sites/${site}/changes`} label={texts.allChanges} />
      <Answered of={answer}>
        {({ changes }) =>
          changes.length === 0 ? (
            <p className="muted">{texts.nothingChanged}</p>
          ) : (
            <ul className={styles.rows} aria-label={texts.changed}>
              {changes.map((group) => (
                <Line key={group.device?.key ?? `${group.subject?.kind} ${group.subject?.id}`} {...{ site, group }} />
              ))}
            </ul>
          )
        }
      </Answered>
    </Card>
  );
}

function Line({ site, group: { device, subject, sentences } }: { site: string; group: ChangeGroup }) {
  const last = sentences.at(-1);
  const isGone = last?.type === 'deleted';
  return (
    <li className={styles.change}>
      <strong data-foreign>
        {device === null ? (
          (subject?.name ?? '') || texts.wholeSite
        ) : isGone ? (
          deviceLabel(device)
        ) : (
          <Link href={`/sites/${site}/devices/${encodeURIComponent(device.key)}`}>{deviceLabel(device)}</Link>
        )}
      </strong>
      <span data-foreign>{sentences.map(({ text }) => sentenceText(text)).join('; ')}</span>
      <span className={styles.small}>{last === undefined ? null : <Time at={last.at} />}</span>
    </li>
  );
}
