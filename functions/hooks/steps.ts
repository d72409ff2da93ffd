/** The steps of a hook through the journal, event by event. */
import type { DeviceEvent } from '../../shared/api/events.ts';
import type { HookEvent } from '../../shared/api/hook-events.ts';
import type { JournalEntry } from '../devices/collection/change-row.ts';
import { eventsOf } from '../devices/events.ts';
import { chooser, type Facts, newcomer } from './chosen.ts';
import { PRESENCE, presenceChanged } from './flapping.ts';
import type { Position, RecentPresence, StoredHook } from './hook-store.ts';
import type { ReportContent } from './mail.ts';

/** What is sent; a report only by e-mail. */
export type Notice = Omit<HookEvent, 'site'> & { report?: ReportContent };

export interface Step {
  id: string;
  /** Null when nothing is sent. */
  event: Notice | null;
  /** Whether it is suppressed because it ends a loss that is suppressed. */
  isUnsaid: boolean;
  /** When it may be sent (Unix, ms): later if the loss may be transient; 0 for most. */
  notBefore: number;
  /** The position of the hook behind it. */
  after: Position & { recent: RecentPresence };
}

/** Losses that may be transient, and what ends them. Programs are notified at once, and people after two minutes, if it lasts. */
const OVER_BY: Partial<Record<Notice['type'], Notice['type']>> = {
  'agent-lost': 'agent-back',
  'site-dark': 'site-back',
  'internet-lost': 'internet-back',
};
const BACK: readonly string[] = Object.values(OVER_BY);
const DEBOUNCE_MS = 2 * 60_000;

/**
 * The events of entries that follow the hook's position, in order; behind those of each entry a step that ends it.
 * @param facts of the devices in the entries
 * @param asItHappened whether to keep each change of a flapping device
 */
export function stepsOf(
  hook: StoredHook,
  entries: readonly JournalEntry[],
  facts: Facts,
  { now, asItHappened = false }: { now: number; asItHappened?: boolean },
): Step[] {
  const isForPeople = hook.format !== 'json';
  const isWanted = (type: string) => hook.events.some((wanted) => wanted === type);
  const isChosen = chooser(hook, facts);
  const followsPresence = !asItHappened && PRESENCE.some(isWanted);
  let { recent, cursor } = hook;

  function noticeOf(event: DeviceEvent, entry: JournalEntry): Notice | null {
    if (!isChosen(event, entry)) return null;
    if (followsPresence && event.device !== null && PRESENCE.includes(event.type)) {
      const change = presenceChanged(recent, event.device.key, Math.floor(Date.parse(event.recordedAt) / 1000));
      recent = change.recent;
      if (change.notify === 'flapping') return { ...event, type: 'flapping' };
      if (change.notify === 'nothing') return null;
    }
    const endsLoss = isForPeople && BACK.includes(event.type);
    if (!isWanted(event.type) && !endsLoss) return null;
    return event.type === 'new' ? ofNewcomer(event, entry) : event;
  }

  const steps: Step[] = [];
  for (const entry of entries) {
    const some: Step[] = [];
    for (const event of eventsOf(entry, (key) => facts.get(key)?.devName ?? '')) {
      if (isPassed(event.id, hook.passed)) continue;
      const isUnsaid = hook.unsaid.includes(event.id);
      const notice = isUnsaid ? null : noticeOf(event, entry);
      const after = { cursor, passed: event.id, recent };
      some.push({ id: event.id, event: notice, isUnsaid, notBefore: 0, after });
    }
    if (isForPeople) suppressImpliedBySite(some, isWanted);
    cursor = entry.version;
    const end = { id: '', event: null, isUnsaid: false, notBefore: 0 };
    steps.push(...some, { ...end, after: { cursor, passed: null, recent } });
  }
  if (isForPeople) suppressTransient(steps, isWanted, now);
  return steps;
}

/** Suppresses losses that ended within two minutes, and delays those that still may. */
function suppressTransient(steps: Step[], isWanted: (type: string) => boolean, now: number): void {
  for (const [i, step] of steps.entries()) {
    const { event } = step;
    if (event === null) continue;
    const overBy = OVER_BY[event.type];
    if (overBy !== undefined) {
      const until = Date.parse(event.recordedAt) + DEBOUNCE_MS;
      const back = steps.slice(i + 1).find(({ event: later }) => {
        return later?.type === overBy && later.subject?.id === event.subject?.id;
      });
      if (back?.event && Date.parse(back.event.recordedAt) < until) {
        const isTransient = Date.parse(back.event.at) - Date.parse(event.at) < DEBOUNCE_MS;
        // An agent may report a loss when it is over: its end is enough.
        if (isTransient || isWanted(overBy)) step.event = null;
        if (isTransient) Object.assign(back, { event: null, isUnsaid: true });
      } else if (now < until) step.notBefore = until;
    } else if (!isWanted(event.type)) step.event = null;
  }
}

/** Suppresses agents that are lost, or back, together with their site. */
function suppressImpliedBySite(steps: Step[], isWanted: (type: string) => boolean): void {
  for (const step of steps) {
    const type = step.event?.type;
    const bySite = type === 'agent-lost' ? 'site-dark' : type === 'agent-back' ? 'site-back' : null;
    if (bySite !== null && isWanted(bySite) && steps.some(({ event }) => event?.type === bySite)) step.event = null;
  }
}

/** Whether an event is at this position of its entry, or before it. */
export function isPassed(id: string, passed: string | null): boolean {
  const [version, index] = id.split('.');
  const [at, upTo] = passed?.split('.') ?? [];
  return version === at && Number(index) <= Number(upTo);
}

/** With the facts of the device in the entry. */
function ofNewcomer(event: DeviceEvent, entry: JournalEntry): Notice {
  const { devLastIP: ip = '', devVendor: vendor = '' } = newcomer(entry, event.device?.key) ?? {};
  return { ...event, ...(ip === '' ? {} : { ip }), ...(vendor === '' ? {} : { vendor }) };
}
