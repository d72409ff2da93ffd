/** The outages of the internet: as a band, and in a table. */
import texts from 'messages:internet';
import { useId } from 'react';
import { dateTimeText } from '../../text/format.ts';
import { Band, type StateLook, type Stretch } from '../../ui/chart/band.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/time.tsx';
import cards from '../admin/cards.module.css';
import { lastedText } from '../agents/lasted-text.ts';
import type { ChartProps } from './charts.tsx';
import type { InternetState, Outage } from './outages.ts';

const LOOKS: Record<InternetState, StateLook> = {
  there: { label: texts.states.up, tone: 'good', y: 0, height: 1 },
  lost: { label: texts.states.down, tone: 'bad', y: 0.7, height: 0.3 },
  unknown: { label: texts.states.unknown, tone: 'unknown', y: 0, height: 1, isHatched: true },
};

interface Props extends ChartProps {
  stretches: readonly Stretch<InternetState>[];
  outages: readonly Outage[];
}

/** Rows of the table. */
const MAX_ROWS = 10;

export function Outages({ stretches, outages, span, cursor }: Props) {
  const summary = useId();
  const now = useNow();
  if (stretches.length === 0) return null;
  const rows = outages.toReversed().slice(0, MAX_ROWS);
  const columns: Column<Outage>[] = [
    { heading: texts.from, cell: ({ from }) => dateTimeText(new Date(from)) },
    {
      heading: texts.to,
      cell: ({ to }) => (to === null ? <Status tone="bad">{texts.ongoing}</Status> : dateTimeText(new Date(to))),
    },
    { heading: texts.duration, cell: ({ from, to }) => lastedText((to ?? now) - from) },
    { heading: texts.cause, cell: ({ why }) => <span data-foreign>{why ?? texts.causeUnknown}</span> },
  ];
  return (
    <section aria-label={texts.band}>
      <h3>{texts.band}</h3>
      <p id={summary} className="text-muted">
        {texts.outageCount({ count: outages.length })}
      </p>
      <Band
        label={texts.band}
        describedBy={summary}
        looks={LOOKS}
        say={({ state, from, to }) =>
          texts.stretch({
            state: LOOKS[state].label,
            from: dateTimeText(new Date(from)),
            to: dateTimeText(new Date(to)),
          })
        }
        {...{ stretches, span, cursor }}
      />
      {rows.length === 0 ? null : (
        <div className={`${cards.cards} ${cards.breaks} mt-2 max-700:[&_table_td]:block max-700:[&_table_td]:h-auto`}>
          <Table label={texts.downList} columns={columns} rows={rows} keyOf={({ from }) => String(from)} />
        </div>
      )}
    </section>
  );
}
