/** The last changes of a site in a few lines, for its overview. */
import texts from 'messages:changes';
import { Link } from 'wouter';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { Answered } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { ChangeRow, keyOf } from './change-rows.tsx';
import styles from './changes.module.css';

const LINES = 5;
/** The last ones of each subject. */
const SENTENCES = 2;

/** @param since ISO 8601 */
export function ShortChanges({ site, since }: { site: string; since: string }) {
  const answer = useAnswer('GET /changes', { site, query: { since } }, { everyMs: POLL_MS.calm });
  return (
    <Answered of={answer}>
      {({ changes }) =>
        changes.length === 0 ? (
          <p className="text-muted">{texts.shortNone}</p>
        ) : (
          <>
            <ul className={styles.short}>
              {changes.slice(0, LINES).map((group) => (
                <ChangeRow
                  key={keyOf(group)}
                  site={site}
                  group={group}
                  sentences={group.sentences.slice(-SENTENCES)}
                  time={<Time at={group.sentences.at(-1)?.at} />}
                />
              ))}
            </ul>
            <Link href={`/sites/${site}/changes`} className="justify-self-start no-underline text-sm">
              {changes.length > LINES ? texts.more({ count: changes.length - LINES }) : texts.showAll}
            </Link>
          </>
        )
      }
    </Answered>
  );
}
