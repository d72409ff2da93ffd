/** The presence of the device: in a sentence, as a band, and as a table. */
import chartTexts from 'messages:chart';
import texts from 'messages:device';
import { useId } from 'react';
import { dateTimeText, numberText } from '../../text/format.ts';
import { Band, type StateLook } from '../../ui/chart/band.tsx';
import type { Cursor } from '../../ui/chart/cursor.ts';
import type { ChartChoice } from '../../ui/chart/span-choice.tsx';
import type { TimeSpan } from '../../ui/chart/time-span.ts';
import { Status, type Tone } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { onlinePercent, type PresenceState, type PresenceSummary, type Span, summaryOf } from './presence.ts';

const TONES: Record<PresenceState, Tone> = {
  online: 'good',
  offline: 'calm',
  down: 'bad',
  unknown: 'warn',
  unwatched: 'warn',
};
const { states } = texts;
const LOOKS: Record<PresenceState, StateLook> = {
  online: { label: states.online, tone: 'good', y: 0, height: 1 },
  offline: { label: states.offline, tone: 'calm', y: 0.8, height: 0.2 },
  down: { label: states.down, tone: 'bad', y: 0.45, height: 0.55 },
  unknown: { label: states.unknown, tone: 'unknown', y: 0.47, height: 0.06 },
  unwatched: { label: states.unwatched, tone: 'unknown', y: 0, height: 1, isHatched: true },
};
/** Rows of the table. */
const MAX_ROWS = 300;

interface Props {
  spans: readonly Span[];
  span: TimeSpan;
  choice: ChartChoice;
  cursor: Cursor;
}

export function Presence({ spans, span, choice: { span: name, isTable }, cursor }: Props) {
  const summaryId = useId();
  const say = ({ from, to, state }: Span) => {
    const until = to === span.to ? texts.now : dateTimeText(new Date(to));
    return texts.period({
      state: states[state],
      from: dateTimeText(new Date(from)),
      to: until,
      length: periodText(to - from),
    });
  };
  return (
    <section className="grid gap-1 min-w-0" aria-label={texts.presence}>
      <h3>{texts.presence}</h3>
      <p id={summaryId} className="text-muted text-sm">
        {summaryText(summaryOf(spans), chartTexts.lastSpans[name])}
      </p>
      {isTable ? (
        <SpanTable spans={spans} now={span.to} />
      ) : (
        <Band
          label={texts.presenceStrip}
          describedBy={summaryId}
          stretches={spans}
          looks={LOOKS}
          span={span}
          say={say}
          cursor={cursor}
        />
      )}
    </section>
  );
}

function summaryText(summary: PresenceSummary, spanText: string): string {
  const percent = onlinePercent(summary);
  if (percent === null) return texts.presenceUnknown;
  const { totalMs, knownMs, timesAway, longestAwayMs } = summary;
  const isAll = knownMs > totalMs * 0.99;
  const online = texts.online({
    percent: numberText(percent),
    part: isAll ? spanText : texts.knownPart({ length: periodText(knownMs) }),
  });
  return `${online}; ${texts.timesAway({ count: timesAway, longest: periodText(longestAwayMs) })}.`;
}

function SpanTable({ spans, now }: { spans: readonly Span[]; now: number }) {
  const rows = spans.toReversed().slice(0, MAX_ROWS);
  const timeCell = (time: number) => <span className="whitespace-nowrap">{dateTimeText(new Date(time))}</span>;
  return (
    <>
      <Table
        label={texts.presenceTable}
        rows={rows}
        keyOf={({ from }) => String(from)}
        columns={[
          { heading: texts.state, cell: ({ state }) => <Status tone={TONES[state]}>{states[state]}</Status> },
          { heading: texts.from, cell: ({ from }) => timeCell(from) },
          { heading: texts.to, cell: ({ to }) => (to === now ? texts.now : timeCell(to)) },
          {
            heading: texts.duration,
            cell: ({ from, to }) => <span className="whitespace-nowrap">{periodText(to - from)}</span>,
          },
        ]}
      />
      {spans.length > rows.length ? <p>{texts.leftOut({ count: spans.length - rows.length })}</p> : null}
    </>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A duration in words, in at most two units. */
export function periodText(ms: number): string {
  const [days, hours, minutes] = [
    Math.floor(ms / DAY_MS),
    Math.floor((ms % DAY_MS) / HOUR_MS),
    Math.floor((ms % HOUR_MS) / MINUTE_MS),
  ];
  if (days === 0 && hours === 0 && minutes === 0) return texts.lessThanAMinute;
  const units = [
    ...(days > 0 ? [texts.days({ count: days })] : []),
    ...(hours > 0 ? [texts.hours({ count: hours })] : []),
    ...(days === 0 && minutes > 0 ? [texts.minutes({ count: minutes })] : []),
  ];
  return units.join(' ');
}
