/** The connections of an agent: in a sentence, as a band, and their breaks as a table. */
import texts from 'messages:agent';
import { useId } from 'react';
import { dateTimeText, numberText, parseTime, percentText } from '../../text/format.ts';
import { Band, type StateLook, type Stretch } from '../../ui/chart/band.tsx';
import { useCursor } from '../../ui/chart/cursor.ts';
import { Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/time.tsx';
import cards from '../admin/cards.module.css';
import { type ConnectionState, connectedPercent, stretchesOf } from './connection-stretches.ts';
import { lastedText } from './lasted-text.ts';

const LOOKS: Record<ConnectionState, StateLook> = {
  on: { label: texts.bandStates.on, tone: 'good', y: 0, height: 1 },
  off: { label: texts.bandStates.off, tone: 'bad', y: 0.45, height: 0.55 },
  unknown: { label: texts.bandStates.unknown, tone: 'unknown', y: 0, height: 1, isHatched: true },
};
const WEEK_MS = 7 * 86_400_000;
/** Rows of the table. */
const MAX_BREAKS = 5;

export function Connections({ connections }: { connections: Parameters<typeof stretchesOf>[0] }) {
  const summary = useId();
  const cursor = useCursor();
  const now = useNow();
  const stretches = stretchesOf(connections, now);
  const breaks = stretches.filter(({ state }) => state === 'off').toReversed();
  const percent = connectedPercent(stretches);
  const timeOf = (at: number) => (at === now ? texts.now : dateTimeText(new Date(at)));
  const say = ({ state, from, to }: Stretch<ConnectionState>) => {
    const duration = lastedText(to - from);
    return texts.stretch({ state: texts.bandStates[state], from: timeOf(from), to: timeOf(to), duration });
  };
  return (
    <>
      <p id={summary} className="text-muted">
        {percent === null
          ? texts.nothingKnown
          : texts.connectionsHint({
              percent: percentText(percent),
              since: sinceText(connections, now),
              breaks: texts.breaks({ count: breaks.length }),
            })}
      </p>
      {percent === null ? null : (
        <Band
          label={texts.band}
          describedBy={summary}
          stretches={stretches}
          looks={LOOKS}
          span={{ from: stretches[0]?.from ?? now, to: now }}
          say={say}
          cursor={cursor}
        />
      )}
      {breaks.length === 0 ? null : (
        <div className={`${cards.cards} max-700:[&_table_td]:block max-700:[&_table_td]:h-auto ${cards.breaks}`}>
          <Table
            label={texts.breaksTable}
            rows={breaks.slice(0, MAX_BREAKS)}
            keyOf={({ from }) => String(from)}
            columns={[
              { heading: texts.away, cell: ({ from }) => timeOf(from) },
              { heading: texts.back, cell: ({ to }) => (to === now ? '–' : timeOf(to)) },
              { heading: texts.duration, cell: ({ from, to }) => lastedText(to - from) },
              { heading: texts.reason, cell: ({ end }) => (end === null ? texts.notNoted : texts.ends[end]) },
            ]}
          />
        </div>
      )}
      {breaks.length > MAX_BREAKS ? (
        <p className="text-muted">{texts.moreBreaks({ count: numberText(breaks.length - MAX_BREAKS) })}</p>
      ) : null}
    </>
  );
}

/** The time that the percentage covers. */
function sinceText(connections: Parameters<typeof stretchesOf>[0], now: number): string {
  const first = parseTime(connections[0]?.from);
  return first === null || first.getTime() <= now - WEEK_MS
    ? texts.ofWeek
    : texts.sinceTime({ time: dateTimeText(first) });
}
