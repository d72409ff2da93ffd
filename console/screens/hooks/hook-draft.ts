/** A hook as somebody is about to add or change it. */
import type { EventType } from '../../../shared/api/events.ts';
import type { Hook, HookFormat } from '../../../shared/api/hooks.ts';
import { texts } from './texts.ts';

export interface HookDraft {
  /** Empty for a hook that keeps the one that it has. */
  url: string;
  format: HookFormat;
  events: readonly EventType[];
  skipRandomMacs: boolean;
  enabled: boolean;
}

export interface HookChange {
  url?: string;
  format?: HookFormat;
  events?: EventType[];
  skipRandomMacs?: boolean;
}

export type DraftErrors = Partial<Record<'url' | 'events', string>>;

export const FORMATS = Object.keys(texts.formats) as HookFormat[];
export const EVENTS = Object.keys(texts.eventTypes) as EventType[];

/** What most people want to hear of. */
const USUAL: readonly EventType[] = ['new', 'down'];

export function newDraft(): HookDraft {
  return { url: '', format: 'json', events: USUAL, skipRandomMacs: false, enabled: true };
}

export function draftOf({ format, events, skipRandomMacs, enabled }: Hook): HookDraft {
  return { url: '', format, events, skipRandomMacs, enabled };
}

export function errorsOf({ url, events }: HookDraft, isNew: boolean): DraftErrors {
  return {
    ...(isNew && url.trim() === '' ? { url: texts.urlMissing } : {}),
    ...(events.length === 0 ? { events: texts.eventsMissing } : {}),
  };
}

/** What differs from the hook as it is; null when nothing does. */
export function changeOf(draft: HookDraft, hook: Hook): HookChange | null {
  const change: HookChange = {
    ...(draft.url.trim() === '' ? {} : { url: draft.url.trim() }),
    ...(draft.format === hook.format ? {} : { format: draft.format }),
    ...(sameEvents(draft.events, hook.events) ? {} : { events: inOrder(draft.events) }),
    ...(draft.skipRandomMacs === hook.skipRandomMacs ? {} : { skipRandomMacs: draft.skipRandomMacs }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

export function bodyOf({ url, format, events, skipRandomMacs, enabled }: HookDraft) {
  return { url: url.trim(), format, events: inOrder(events), skipRandomMacs, enabled };
}

function sameEvents(a: readonly EventType[], b: readonly EventType[]): boolean {
  return inOrder(a).join() === inOrder(b).join();
}

function inOrder(events: readonly EventType[]): EventType[] {
  return EVENTS.filter((event) => events.includes(event));
}
