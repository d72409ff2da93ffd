/** Keeps scroll position and focus when cards come and go. */
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { type Box, boxOf, type Layout } from './layout.ts';

/** Focuses a card or a device once it is drawn. */
export function useGoTo(frame: RefObject<HTMLElement | null>, reveal: (key: string) => void): (key: string) => void {
  const [request, setRequest] = useState<{ key: string } | null>(null);
  const go = useEffectEvent(({ key }: { key: string }) => {
    frame.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
    reveal(key);
  });
  useEffect(() => {
    if (request !== null) go(request);
  }, [request]);
  return (key) => setRequest({ key });
}

/** The function it returns keeps a card in place during the next change. */
export function useSteadyScroll(
  frame: RefObject<HTMLElement | null>,
  layout: Layout,
  zoom: number,
): (key: string) => void {
  const kept = useRef<{ key: string; box: Box } | null>(null);
  const afterChange = useEffectEvent(() => {
    const before = kept.current;
    kept.current = null;
    const now = before === null ? null : boxOf(layout, before.key);
    if (before === null || now === null) return;
    frame.current?.scrollBy((now.x - before.box.x) * zoom, (now.y - before.box.y) * zoom);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: after every change of the layout
  useLayoutEffect(afterChange, [layout]);
  return (key) => {
    const box = boxOf(layout, key);
    if (box !== null) kept.current = { key, box };
  };
}
