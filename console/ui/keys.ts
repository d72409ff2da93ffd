/**
 * Keyboard shortcuts, which screens declare, and which the list behind `?` shows. They are single keys, pairs such as
 * `g d`, and combinations such as `mod+k` (Ctrl, or Command on a Mac). Single keys are off while a person types or a
 * dialog is open.
 */
import { type RefObject, useEffectEvent, useLayoutEffect } from 'react';
import { makeKeptStore, makeStore } from './store.ts';

export interface Shortcut {
  /** As `KeyboardEvent.key` names them, such as `Enter`; letters in lower case. */
  keys: string;
  label: string;
  /** Whether it works on every screen. */
  isGlobal: boolean;
}

interface Declared extends Shortcut {
  run: () => void;
  within: RefObject<HTMLElement | null> | undefined;
}

interface Options {
  isGlobal?: boolean;
  when?: boolean;
  /** The focus must be in this element: for Enter, Space and arrows, which other elements use too. */
  within?: RefObject<HTMLElement | null>;
}

/** What actions have: a key means the same on every screen. */
export const KEYS = { add: 'n', archive: 'a', edit: 'e', favourite: 'f', known: 'y', next: 'j', scan: 's', wake: 'w' };

const PAIR_WITHIN_MS = 1_200;

const declared = makeStore<readonly Declared[]>([]);
/** Null when single keys are on. */
const singleKeysOff = makeKeptStore('lanreach.single-keys-off');
let first = '';
let firstAt = 0;

/** Declares a shortcut while the component is mounted. */
export function useShortcut(
  keys: string,
  label: string,
  run: () => void,
  { isGlobal = false, when = true, within }: Options = {},
): void {
  const latest = useEffectEvent(run);
  // Before painting: the keys of a visible screen must work.
  useLayoutEffect(() => {
    if (!when) return undefined;
    const one: Declared = { keys, label, isGlobal, within, run: () => latest() };
    declared.set([...declared.get(), one]);
    return () => declared.set(declared.get().filter((other) => other !== one));
  }, [keys, label, isGlobal, when, within]);
}

export function useShortcuts(): readonly Shortcut[] {
  return declared.use();
}

/** Whether shortcuts without Ctrl or Command work. People with speech input turn them off: a word would trigger many (WCAG 2.1.4). */
export function useSingleKeys(): [boolean, (areOn: boolean) => void] {
  return [singleKeysOff.use() === null, (areOn) => singleKeysOff.set(areOn ? null : 'yes')];
}

/** Called once. */
export function listenForShortcuts(): void {
  window.addEventListener('keydown', (event) => {
    const isTyping = isTextInput(event.target) || document.querySelector('dialog[open]') !== null;
    const isCombination = event.ctrlKey || event.metaKey;
    if (event.defaultPrevented || event.isComposing || event.altKey || (isTyping && !isCombination)) return;
    if (singleKeysOff.get() !== null && !isCombination && event.key.length === 1) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const pressed = isCombination ? `mod+${key}` : key;
    const fits = (one: Declared, keys: string) =>
      one.keys === keys && (one.within === undefined || isInside(event.target, one.within.current));
    const isPair = event.timeStamp - firstAt < PAIR_WITHIN_MS;
    // The latest one wins: a dialog or a row over its screen.
    const found =
      (isPair ? declared.get().findLast((one) => fits(one, `${first} ${pressed}`)) : undefined) ??
      declared.get().findLast((one) => fits(one, pressed));
    first = pressed;
    firstAt = event.timeStamp;
    if (found === undefined) return;
    event.preventDefault();
    first = '';
    found.run();
  });
}

function isInside(target: EventTarget | null, element: HTMLElement | null): boolean {
  return target instanceof Node && element !== null && element.contains(target);
}

function isTextInput(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)))
  );
}
