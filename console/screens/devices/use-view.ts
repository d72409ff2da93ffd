/** The view in the address, and the text that is being typed, which gets there after a pause. */
import { useEffect, useEffectEvent, useState } from 'react';
import { useHashQuery } from '../../ui/hash-location.ts';
import { type DeviceView, formatView, parseView } from './view.ts';

const PAUSE_MS = 300;

export interface ViewState {
  view: DeviceView;
  typed: string;
  type: (text: string) => void;
  change: (changes: Partial<DeviceView>) => void;
}

export function useView(): ViewState {
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
    if (typed === view.text) return;
    setSettled(typed);
    replaceQuery(formatView({ ...view, text: typed }), { replace: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pause begins anew with every letter
  useEffect(() => {
    const timer = window.setTimeout(() => settle(), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  const change = (changes: Partial<DeviceView>) => {
    if (changes.text !== undefined) setTyped(changes.text);
    replaceQuery(formatView({ ...view, text: typed, ...changes }));
  };
  return { view, typed, type: setTyped, change };
}
