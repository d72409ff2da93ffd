/** What a hook sends next, and when: the one place that decides on bursts and quiet hours. */
import type { HookFormat } from '../../shared/api/hook-events.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Span } from '../devices/read-changes.ts';
import type { Progress, StoredHook } from './hook-store.ts';
import { isUrgentType } from './message.ts';
import { isExcepted, quietAt } from './quiet.ts';
import type { Notice, Step } from './steps.ts';

/**
 * Messages within a minute: a person reads a few, and a program takes all but floods. Those beyond the limit wait for the
 * end of the minute, and become one message.
 */
const MOST: Record<HookFormat, number> = {
  json: 100,
  ...{ slack: 3, discord: 3, ntfy: 3, teams: 3, telegram: 3, gotify: 3, pushover: 3, apprise: 3, email: 3 },
};
/** Ids of events that were sent while others were held. Beyond that, the oldest appear in the summary as well. */
const MAX_EXCEPT = 200;

export interface Next {
  /** The events of the next message; none when no message is due. */
  events: Notice[];
  /** The progress of the hook once that is sent; null when nothing changes. */
  after: Partial<Progress> | null;
  /** Without events: when to check again, if nothing happens before (Unix, ms). */
  until: number | null;
  /** Whether nothing follows in these steps. */
  isLast: boolean;
}

/** @param steps behind the hook's position */
export function nextOf(
  hook: StoredHook,
  steps: readonly Step[],
  { timeZone, now }: { timeZone: string; now: number },
): Next {
  const spanOf = quietSpans(hook, timeZone);
  /** The progress of the hook behind this many steps. */
  function passed(count: number): Partial<Progress> | null {
    const { after } = steps[count - 1] ?? {};
    if (after === undefined) return null;
    return { ...after, unsaid: steps.slice(count).flatMap(({ id, isUnsaid }) => (isUnsaid ? [id] : [])) };
  }

  let { held } = hook;
  let count = 0;
  for (const { event, notBefore } of steps) {
    if (event !== null) {
      const span = spanOf(event);
      if (notBefore > now || span === null) break;
      const [since, until] = [span.since.getTime(), span.until.getTime()];
      if (held !== null && held.until !== until && held.until <= now) break; // It is sent first.
      const { cursor, passed: id } = steps[count - 1]?.after ?? hook;
      held ??= { from: { cursor, passed: id }, since, until, except: hook.unsaid };
    }
    count++;
  }
  const before = passed(count);
  const wait = (until: number | null): Next => ({
    ...{ events: [], isLast: true, until },
    after: before === null ? null : { ...before, held },
  });
  if (held !== null && held !== hook.held) return wait(held.until);

  const waiting: { event: Notice; end: number }[] = [];
  let later: number | null = null;
  for (let i = count; i < steps.length; i++) {
    const { event, notBefore } = steps[i] as Step;
    if (event === null) continue;
    const at = Date.parse(event.recordedAt);
    if (notBefore > now) later ??= notBefore;
    const isOfAnother = hook.format === 'json' && at >= Date.parse(waiting[0]?.event.recordedAt ?? '') + MINUTE_MS;
    if (later !== null || spanOf(event) !== null || isOfAnother) break;
    waiting.push({ event, end: i + 1 });
  }
  if (waiting.length === 0) return wait(later ?? held?.until ?? null);

  const most = MOST[hook.format];
  const isOpen = hook.window.since + MINUTE_MS > now;
  const { since, sent } = isOpen ? hook.window : { since: now, sent: 0 };
  const isUrgent = waiting.some(({ event }) => isUrgentType(event.type));
  if (sent >= most && !(isUrgent && sent < 2 * most)) return wait(since + MINUTE_MS);
  const taken = sent + waiting.length <= most ? waiting.slice(0, 1) : waiting;
  let end = taken.at(-1)?.end ?? count;
  while (end < steps.length && steps[end]?.event === null) end++;
  const events = taken.map(({ event }) => event);
  return {
    events,
    until: null,
    isLast: end === steps.length,
    after: {
      ...passed(end),
      window: { since, sent: events.length === 1 ? sent + 1 : Math.max(most, sent + 1) },
      held: held && { ...held, except: [...held.except, ...events.map(({ id }) => id)].slice(-MAX_EXCEPT) },
    },
  };
}

/** The quiet hours in which an event is held; null when it is in none. */
function quietSpans({ quiet }: StoredHook, timeZone: string): (event: Notice) => Span | null {
  /** A cache, mostly hit by the next event: finding the span takes a while. */
  let span: Span | null = null;
  return ({ type, recordedAt }) => {
    if (quiet === undefined || isExcepted(quiet.exceptEvents, type)) return null;
    const at = new Date(recordedAt);
    if (span === null || at < span.since || at >= span.until) span = quietAt(quiet, timeZone, at);
    return span;
  };
}
