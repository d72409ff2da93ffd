/** The devices online over the last day or week. */
import texts from 'messages:overview';
import { useMemo } from 'react';
import { Chart } from '../../ui/chart/chart.tsx';
import { useCursor } from '../../ui/chart/cursor.ts';
import { SpanChoice, useChartChoice } from '../../ui/chart/span-choice.tsx';
import { SPAN_MS } from '../../ui/chart/time-span.ts';
import type { Track } from '../../ui/chart/track.ts';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { CardHead } from './card-head.tsx';
import { dayText, type Presence, usePresence } from './use-presence.ts';

const SPANS = ['24h', '7d'] as const;
const HOUR_MS = 3_600_000;

/** @param all devices now: the top of the scale */
export function DayCard({ site, all }: { site: string; all: number }) {
  const choice = useChartChoice('24h');
  const span = choice.span === '7d' ? '7d' : '24h';
  const presence = usePresence(site, { hours: SPAN_MS[span] / HOUR_MS });
  return (
    <Card>
      <CardHead title={texts.dayTitle}>
        <SpanChoice choice={{ ...choice, span }} names={SPANS} />
      </CardHead>
      <Answered of={presence}>{(data) => <Day presence={data} all={all} isTable={choice.isTable} />}</Answered>
    </Card>
  );
}

function Day({ presence, all, isTable }: { presence: Presence; all: number; isTable: boolean }) {
  const cursor = useCursor();
  const { track, span } = useMemo(() => trackOf(presence), [presence]);
  const known = track.values.filter((count) => count !== null);
  const summary = known.length === 0 ? texts.dayUnknown : texts.dayOf({ summary: dayText(known), all });
  return (
    // The card has the same title.
    <div className="[&_h3]:hidden">
      <Chart
        title={texts.dayTitle}
        summary={summary}
        tracks={[track]}
        unit={texts.online.toLowerCase()}
        atLeast={all}
        height={110}
        {...{ span, cursor, isTable }}
      />
    </div>
  );
}

/** A slot counts at its end; an unknown one is a gap. */
function trackOf({ from, to, slotSeconds, online }: Presence): { track: Track; span: { from: number; to: number } } {
  const [begin, end, stepMs] = [Date.parse(from), Date.parse(to), slotSeconds * 1000];
  const known = online.flatMap((count, i) => (count === null ? [] : [{ at: begin + i * stepMs, count }]));
  const track = { name: '', times: known.map(({ at }) => at), values: known.map(({ count }) => count), stepMs };
  return { track, span: { from: begin, to: end } };
}
