/** The outages, as a band below the speed. */
import texts from 'messages:internet';
import { useId } from 'react';
import { dateTimeText } from '../../text/format.ts';
import { Band, type StateLook, type Stretch } from '../../ui/chart/band.tsx';
import type { Cursor } from '../../ui/chart/cursor.ts';
import type { TimeSpan } from '../../ui/chart/time-span.ts';
import type { InternetState } from './outages.ts';

const LOOKS: Record<InternetState, StateLook> = {
  there: { label: texts.states.up, tone: 'good', y: 0, height: 1 },
  lost: { label: texts.states.down, tone: 'bad', y: 0.7, height: 0.3 },
  unknown: { label: texts.states.unknown, tone: 'unknown', y: 0, height: 1, isHatched: true },
};

interface Props {
  stretches: readonly Stretch<InternetState>[];
  span: TimeSpan;
  cursor: Cursor;
}

export function OutageBand({ stretches, span, cursor }: Props) {
  const summary = useId();
  if (stretches.length === 0) return null;
  const count = stretches.filter(({ state }) => state === 'lost').length;
  return (
    <section aria-label={texts.band}>
      <h3>{texts.band}</h3>
      <p id={summary} className="text-muted">
        {texts.outageCount({ count })}
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
    </section>
  );
}
