/** The view in the address, which the typed text enters after a pause. */
import { useEffect, useEffectEvent, useState } from 'react';
import { useHashQuery } from '../../ui/hash-location.ts';
import { isNamed } from './filter-tokens.ts';
import { type DeviceView, formatView, parseView } from './view.ts';

const PAUSE_MS = 300;

export type ViewState = ReturnType<typeof useView>;

export function useView() {
  const [query, replaceQuery] = useHashQuery();
  const view = parseView(query);
  const [typed, setTyped] = useState(view.text);
  const [settled, setSettled] = useState(view.text);
  // A link or the history has changed the address.
  if (settled !== view.text) {
    setSettled(view.text);
    setTyped(view.text);
  }
  const settle = useEffectEvent(() => {
    // `type:cam` is the start of a filter, not a text.
    const text = isNamed(typed) ? '' : typed;
    if (text === view.text) return;
    setSettled(text);
    replaceQuery(formatView({ ...view, text }), { replace: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each letter restarts the pause
  useEffect(() => {
    const timer = window.setTimeout(() => settle(), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  const change = (changes: Partial<DeviceView>) => {
    if (changes.text !== undefined) setTyped(changes.text);
    replaceQuery(formatView({ ...view, text: isNamed(typed) ? '' : typed, ...changes }));
  };
  return { view, typed, type: setTyped, change };
}
