/** The last 24 hours: what was monitored as a band, and each hour with events as a choice that lists them. */
import common from 'messages:common';
import texts from 'messages:overview';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { dateTimeText, minuteText } from '../../text/format.ts';
import { IconButton } from '../../ui/button.tsx';
import { timeTicks } from '../../ui/chart/ticks.ts';
import type { TimeSpan } from '../../ui/chart/time-span.ts';
import { Card } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { useNow } from '../../ui/time.tsx';
import { useNarrow } from '../../ui/use-narrow.ts';
import { lastedText } from '../agents/lasted-text.ts';
import { EventIcon } from '../events/event-icon.tsx';
import { EventRow } from '../events/event-row.tsx';
import eventStyles from '../events/events.module.css';
import { CardHead } from './card-head.tsx';
import {
  DAY_STATES,
  DAY_TYPES,
  type DayState,
  dayUntil,
  HOUR_MS,
  MARKS,
  type Mark,
  PRESENCE_POLL_MS,
  type Slot,
  slotsOf,
  stretchesOf,
  sumsOf,
} from './day.ts';

const MOST_EVENTS = 1_000;
const MARK_NAMES = Object.keys(MARKS) as Mark[];
/** Of an hour. */
const MOST_ROWS = 20;
/** Drawn as shapes; the others as bars. */
const SHAPES = ['new', 'back', 'problem'] as const;
const BAR_PX = 22;
/** Fewer arrivals than this do not fill the height. */
const LEAST_FULL = 4;
/** Below, an hour would be narrower than a finger needs. */
const NARROW_PX = 920;
const PAINT: Record<DayState, string> = {
  up: 'bg-edge',
  unknown: 'bg-[repeating-linear-gradient(135deg,var(--control-line)_0_1px,transparent_1px_5px)]',
  dark: 'bg-[repeating-linear-gradient(135deg,var(--warn)_0_3px,transparent_3px_6px)]',
  lost: 'bg-bad',
};
const NO_ACTORS = { own: '', site: null, tokens: new Map() };

export function DayCard({ site }: { site: SiteOverview }) {
  const { id, darkSince, internet } = site;
  const { lostSince } = internet;
  const now = useNow();
  const { from, to } = dayUntil(now);
  const hours = useNarrow(NARROW_PX) ? 2 : 1;
  const presence = useAnswer('GET /devices/presence', { site: id }, { everyMs: PRESENCE_POLL_MS });
  const answer = useAnswer(
    'GET /events',
    { site: id, query: { type: DAY_TYPES.join(','), since: new Date(from).toISOString(), limit: MOST_EVENTS } },
    { everyMs: POLL_MS.calm },
  );
  const [chosen, choose] = useState<number | null>(null);
  const events = answer.data?.events;
  const slots = slotsOf(events ?? [], { from, to }, hours);
  const stretches = stretchesOf(presence.data, events ?? [], { darkSince, lostSince }, { from, to: Math.min(now, to) });
  const open = slots.find((slot) => slot.from === chosen);
  const sums = sumsOf(stretches);
  const place = (time: number) => `${((time - from) / (to - from)) * 100}%`;
  const isQuiet = slots.every((slot) => slot.events.length === 0);
  const oldest = events?.at(-1);
  return (
    <Card>
      <CardHead title={texts.dayTitle}>
        <span className="text-muted text-sm">
          {sums.length > 0
            ? sums.map(({ state, ms }) => `${texts.states[state]} ${lastedText(ms)}`).join(', ')
            : isQuiet && events !== undefined
              ? texts.quietDay
              : null}
        </span>
      </CardHead>
      <Answered of={answer}>
        {() => (
          <div>
            <fieldset
              className={`${isQuiet ? '[--above:4px] h-4.5' : '[--above:54px] h-23'} relative grid grid-flow-col auto-cols-fr m-0 p-0 border-0 forced-color-adjust-none`}
            >
              <legend className="visually-hidden">{texts.byHour}</legend>
              {slots.map((slot) => (
                <Hour key={slot.from} slot={slot} all={slots} isOpen={slot === open} onOpen={() => choose(slot.from)} />
              ))}
              <span
                className="absolute inset-x-0 top-(--above) h-2.5 rounded-[3px] bg-sunken overflow-hidden pointer-events-none [&>*]:absolute [&>*]:inset-y-0 [&>*]:min-w-0.5"
                aria-hidden="true"
              >
                {stretches.map(({ state, from: begin, to: end }) => (
                  <span
                    key={begin}
                    className={PAINT[state]}
                    style={{ insetInlineStart: place(begin), width: `calc(${place(end)} - ${place(begin)})` }}
                  />
                ))}
              </span>
            </fieldset>
            <p className="relative h-4 mt-1 text-muted text-xs" aria-hidden="true">
              {timeTicks({ from, to: to - hours * HOUR_MS }, hours === 1 ? 8 : 4).map(({ at, label }) => (
                <span key={at} className="absolute" style={{ insetInlineStart: place(at) }}>
                  {label}
                </span>
              ))}
            </p>
            <ul className="visually-hidden" aria-label={texts.gaps}>
              {stretches.map(({ state, from: begin, to: end }) =>
                state === 'up' ? null : (
                  <li key={begin}>{texts.gap({ state: texts.states[state], from: textOf(begin), to: textOf(end) })}</li>
                ),
              )}
            </ul>
          </div>
        )}
      </Answered>
      {open === undefined ? <Legend states={stretches.map(({ state }) => state)} slots={slots} /> : null}
      {open === undefined ? null : <Events site={site} slot={open} onClose={() => choose(null)} />}
      {answer.data?.nextCursor && oldest !== undefined && Date.parse(oldest.at) > from ? (
        <p className="text-muted text-sm">{texts.eventsSince({ time: textOf(Date.parse(oldest.at)) })}</p>
      ) : null}
    </Card>
  );
}

const textOf = (time: number) => dateTimeText(new Date(time));
const rangeOf = ({ from, to }: TimeSpan) => `${minuteText(new Date(from))}–${minuteText(new Date(to))}`;

interface HourProps {
  slot: Slot;
  all: readonly Slot[];
  isOpen: boolean;
  onOpen: () => void;
}

function Hour({ slot, all, isOpen, onOpen }: HourProps) {
  const { counts, events } = slot;
  if (events.length === 0) return <span />;
  const full = Math.max(LEAST_FULL, ...all.flatMap(({ counts: { arrived, left } }) => [arrived, left]));
  const bar = (count: number) => ({ height: count === 0 ? 0 : Math.max(3, (count / full) * BAR_PX) });
  const what = MARK_NAMES.filter((mark) => counts[mark] > 0).map((mark) =>
    texts.counted[mark]({ count: counts[mark] }),
  );
  const label = `${rangeOf(slot)}: ${what.join(', ')}`;
  return (
    <label
      className="relative grid grid-rows-[calc(var(--above)_-_3px)_10px_1fr] gap-0.75 justify-items-center rounded-control hover:bg-hover has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:outline-accent [&_i]:block [&_i]:w-2 [&_i]:rounded-[2px] [&_i]:bg-control-line"
      title={label}
    >
      <input
        type="radio"
        name="hour"
        className="absolute inset-0 size-full m-0 opacity-0 cursor-pointer"
        aria-label={label}
        checked={isOpen}
        onChange={onOpen}
      />
      <span className="flex flex-col justify-end items-center [&>span]:h-3.5" aria-hidden="true">
        {SHAPES.map((mark) => {
          const first = events.find(({ type }) => (MARKS[mark] as readonly string[]).includes(type));
          return first === undefined ? null : <EventIcon key={mark} type={first.type} />;
        })}
        <i style={bar(counts.arrived)} />
      </span>
      <span className="row-3" aria-hidden="true">
        <i style={bar(counts.left)} />
      </span>
    </label>
  );
}

function Events({ site: { id, name }, slot, onClose }: { site: SiteOverview; slot: Slot; onClose: () => void }) {
  return (
    <section className="grid gap-1 pt-2 border-t border-line" aria-label={rangeOf(slot)}>
      <div className="flex items-center justify-between">
        <h3>{rangeOf(slot)}</h3>
        <IconButton label={common.close} icon={<X />} onClick={onClose} />
      </div>
      <ul className={`${eventStyles.rows} -mx-4`}>
        {slot.events.slice(0, MOST_ROWS).map((event) => (
          <EventRow
            key={event.id}
            entry={{ site: id, event }}
            actors={NO_ACTORS}
            siteName={name}
            isOfOneSite
            isNew={false}
            isOfOneDevice
            isInside
          />
        ))}
      </ul>
      {slot.events.length > MOST_ROWS ? (
        <Link href={`/sites/${id}/events?since=24h`} className="text-sm">
          {common.andMore({ count: slot.events.length - MOST_ROWS })}
        </Link>
      ) : null}
    </section>
  );
}

/** Explains what is shown. */
function Legend({ states, slots }: { states: readonly string[]; slots: readonly Slot[] }) {
  const isShown = (mark: Mark) => slots.some(({ counts }) => counts[mark] > 0);
  return (
    <ul
      className="flex flex-wrap gap-x-4 gap-y-0.5 text-muted text-xs [&_li]:inline-flex [&_li]:items-center [&_li]:gap-1.5"
      aria-hidden="true"
    >
      {DAY_STATES.filter((state) => states.includes(state)).map((state) => (
        <li key={state}>
          <span className={`w-3.5 h-2 rounded-[2px] ${PAINT[state]}`} />
          {texts.states[state]}
        </li>
      ))}
      {SHAPES.filter(isShown).map((mark) => (
        <li key={mark}>
          <EventIcon type={MARKS[mark][0]} />
          {texts.marks[mark]}
        </li>
      ))}
      {isShown('arrived') || isShown('left') ? (
        <li>
          <i className="w-1.5 h-3 rounded-[2px] bg-control-line" />
          {texts.marks.presence}
        </li>
      ) : null}
    </ul>
  );
}
