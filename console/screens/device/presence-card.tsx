/** When the device was there in the last 30 days. */
import { useId, useState } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { dateTimeText, numberText } from '../../text/format.ts';
import { Card } from '../../ui/page.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/time.tsx';
import styles from './device.module.css';
import { observedSince, timeOf } from './history.ts';
import { periodText } from './period-text.ts';
import {
  onlinePercent,
  type PresenceState,
  type PresenceSummary,
  presenceSpans,
  type Span,
  summaryOf,
} from './presence.ts';
import { PresenceStrip } from './presence-strip.tsx';
import { texts } from './texts.ts';
import { HISTORY_MS, type History } from './use-history.ts';

const TONES: Record<PresenceState, Tone> = {
  online: 'good',
  offline: 'calm',
  down: 'bad',
  unknown: 'warn',
  unwatched: 'warn',
};
/** How much the present may lag behind. */
const TICK_MS = 10_000;
/** Rows of the table. */
const MAX_ROWS = 300;

export function PresenceCard({ device, history }: { device: OneDevice; history: History }) {
  // What is shown elsewhere keeps the present up to date, but nothing may have been shown for a while.
  const now = Math.max(useNow(), Date.now() - TICK_MS);
  const summaryId = useId();
  const unwatchedSince = timeOf(device.watch.since ?? '');
  const from = now - HISTORY_MS;
  const spans = presenceSpans(history.events, {
    from,
    now,
    status: device.devStatus,
    observedSince: observedSince(device),
    firstSeenAt: timeOf(device.devFirstConnection),
    staleSince: unwatchedSince,
    readSince: history.isComplete ? from : history.readSince,
  });
  return (
    <Card title={texts.presence}>
      <p id={summaryId}>{summaryText(summaryOf(spans))}</p>
      <PresenceStrip spans={spans} describedBy={summaryId} />
      {device.watch.state !== 'unwatched' ? null : <p className={styles.warning}>{texts.stale}</p>}
      {history.isComplete ? null : <p className={styles.warning}>{texts.unread}</p>}
      <SpanTable spans={spans} />
    </Card>
  );
}

function summaryText(summary: PresenceSummary): string {
  const percent = onlinePercent(summary);
  if (percent === null) return texts.presenceUnknown;
  const { totalMs, knownMs, timesAway, longestAwayMs } = summary;
  const isAll = knownMs > totalMs * 0.99;
  const online = texts.online(numberText(percent), isAll ? '' : periodText(knownMs));
  return `${online}; ${texts.timesAway(timesAway, periodText(longestAwayMs))}.`;
}

function SpanTable({ spans }: { spans: readonly Span[] }) {
  const [isOpen, setOpen] = useState(false);
  const rows = spans.toReversed().slice(0, MAX_ROWS);
  const timeCell = (time: number) => <span className={styles.nowrap}>{dateTimeText(new Date(time))}</span>;
  return (
    <details className={styles.details} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.asTable}</summary>
      {isOpen ? (
        <Table
          label={texts.presenceTable}
          rows={rows}
          keyOf={({ from }) => String(from)}
          columns={[
            {
              heading: texts.state,
              cell: ({ state }) => <Status tone={TONES[state]}>{texts.states[state]}</Status>,
            },
            { heading: texts.from, cell: ({ from }) => timeCell(from) },
            {
              heading: texts.to,
              cell: ({ to }) => (to === spans.at(-1)?.to ? texts.now : timeCell(to)),
            },
            {
              heading: texts.duration,
              cell: ({ from, to }) => <span className={styles.nowrap}>{periodText(to - from)}</span>,
            },
          ]}
        />
      ) : null}
      {isOpen && spans.length > rows.length ? <p>{texts.leftOut(spans.length - rows.length)}</p> : null}
    </details>
  );
}
