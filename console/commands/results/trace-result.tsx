/** The path to an address: each hop with its addresses and times. */
import commandTexts from 'messages:commands';
import type { ToolResult } from '../../../shared/tools/list.ts';
import { measuredText } from '../../text/format.ts';
import { Status } from '../../ui/status.tsx';
import { hopRows } from './hops.ts';

const texts = commandTexts.trace;

export function TraceResult({ result }: { result: ToolResult<'traceroute'> }) {
  const rows = hopRows(result);
  const most = Math.max(1, ...rows.map(({ averageMs }) => averageMs ?? 0));
  return (
    <div className="grid gap-3 justify-items-stretch min-w-0">
      <ol className="grid max-w-180" aria-label={texts.hops}>
        {rows.map(({ hop, addresses, bestMs, averageMs, notes }) => (
          <li
            key={hop}
            data-silent={addresses.length === 0 || undefined}
            // The line leads from one hop to the next.
            className="group relative grid grid-cols-[28px_minmax(0,1fr)_minmax(200px,300px)] gap-3 items-center min-h-9 data-silent:text-muted max-600:grid-cols-[28px_minmax(0,1fr)_auto] not-last:before:absolute not-last:before:top-7.5 not-last:before:left-[13.5px] not-last:before:h-3 not-last:before:border-l not-last:before:border-control-line"
          >
            <span
              className={`grid group-data-silent:border-dashed place-items-center size-6 ms-0.5 border border-control-line rounded-[50%] bg-surface text-xs`}
            >
              {hop}
            </span>
            <span className="flex flex-wrap gap-y-0.5 gap-x-2.5 wrap-anywhere" data-foreign>
              {addresses.length === 0 ? texts.silent : addresses.map((address) => <code key={address}>{address}</code>)}
              {notes.length > 0 && <span className="text-muted">{notes.join(' ')}</span>}
            </span>
            <span className="grid grid-cols-[minmax(0,1fr)_64px_76px] gap-2.5 items-center text-sm text-end whitespace-nowrap max-600:grid-cols-[56px_70px]">
              {bestMs === null || averageMs === null ? null : (
                <>
                  <span
                    className="h-1 rounded-[2px] bg-sunken max-600:hidden [&_i]:block [&_i]:h-1 [&_i]:rounded-[2px] [&_i]:bg-series-1"
                    aria-hidden="true"
                  >
                    <i style={{ inlineSize: `${Math.max(2, (averageMs / most) * 100)}%` }} />
                  </span>
                  <span title={texts.best}>
                    <span className="visually-hidden">{texts.best} </span>
                    {commandTexts.results.ms({ value: measuredText(bestMs) })}
                  </span>
                  <span className="text-muted" title={texts.average}>
                    <span className="visually-hidden">{texts.average} </span>
                    {`⌀ ${commandTexts.results.ms({ value: measuredText(averageMs) })}`}
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
