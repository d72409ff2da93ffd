/** The way to an address: each hop with who answered, and how long the way there takes. */
import type { ToolResult } from '../../../shared/tools/list.ts';
import { measuredText } from '../../text/format.ts';
import { Status } from '../../ui/status.tsx';
import { commandTexts } from '../texts.ts';
import { hopRows } from './hops.ts';
import styles from './results.module.css';

const texts = commandTexts.trace;

export function TraceResult({ result }: { result: ToolResult<'traceroute'> }) {
  const rows = hopRows(result);
  const most = Math.max(1, ...rows.map(({ averageMs }) => averageMs ?? 0));
  return (
    <div className={styles.result}>
      <ol className={styles.hops} aria-label={texts.hops}>
        {rows.map(({ hop, addresses, bestMs, averageMs, notes }) => (
          <li key={hop} data-silent={addresses.length === 0 || undefined}>
            <span className={styles.hopNumber}>{hop}</span>
            <span className={styles.hopAddress} data-foreign>
              {addresses.length === 0 ? texts.silent : addresses.map((address) => <code key={address}>{address}</code>)}
              {notes.length === 0 ? null : <span className="muted">{notes.join(' ')}</span>}
            </span>
            <span className={styles.hopTimes}>
              {bestMs === null || averageMs === null ? null : (
                <>
                  <span className={styles.hopBar} aria-hidden="true">
                    <i style={{ inlineSize: `${Math.max(2, (averageMs / most) * 100)}%` }} />
                  </span>
                  <span title={texts.best}>
                    <span className="visually-hidden">{texts.best} </span>
                    {commandTexts.results.ms(measuredText(bestMs))}
                  </span>
                  <span className="muted" title={texts.average}>
                    <span className="visually-hidden">{texts.average} </span>
                    {`⌀ ${commandTexts.results.ms(measuredText(averageMs))}`}
                  </span>
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
      {result.reached ? null : <Status tone="warn">{texts.notReached}</Status>}
    </div>
  );
}
