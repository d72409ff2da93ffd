/** A time by the viewer's clock; the exact time in UTC is the tooltip. */
import common from 'messages:common';
import { dateTimeText, language, minuteText, parseTime, timeText, utcText } from '../text/format.ts';
import { makeStore } from './store.ts';

const TICK_MS = 10_000;
const now = makeStore(Date.now());
window.setInterval(() => now.set(Date.now()), TICK_MS);

/** With a precision of ten seconds. */
export function useNow(): number {
  return now.use();
}

/** @param at ISO 8601, or as in device records; "never" for empty and null */
export function Time({ at }: { at: string | null | undefined }) {
  const present = useNow();
  const time = parseTime(at);
  if (time === null) return <span>{common.never}</span>;
  return (
    <time dateTime={time.toISOString()} title={utcText(time)}>
      {timeText(time, Math.max(present, Date.now() - TICK_MS))}
    </time>
  );
}

/** A time by the clock of a site. */
export function ZonedTime({ at, zone }: { at: string; zone: string }) {
  const time = new Date(at);
  const text = time.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
  return (
    <time dateTime={at} title={utcText(time)} className="whitespace-nowrap">
      {text}
    </time>
  );
}

/** The time of day, for sentences such as "since 16:03". */
export function Moment({ at }: { at: string }) {
  const today = new Date(useNow()).toDateString();
  const time = parseTime(at);
  if (time === null) return null;
  return (
    <time dateTime={time.toISOString()} title={utcText(time)}>
      {time.toDateString() === today ? minuteText(time) : dateTimeText(time)}
    </time>
  );
}
