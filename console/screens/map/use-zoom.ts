/** The scale of the drawing, its scroll position and its focus. */
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { type Box, boxOf, fittingScale, type Layout, type Size } from './layout.ts';

const STEP = 1.25;
const MIN = 0.1;
/** A drawing that would be smaller begins at this scale, larger than its frame. */
const READABLE = 0.7;
const MAX = 2;

export type Zoom = ReturnType<typeof useZoom>;

/** @param size of the frame, null: unknown. The drawing fits it at first and with another `look`. */
export function useZoom(frame: RefObject<HTMLElement | null>, layout: Layout, size: Size | null, look: string) {
  const { width, height } = layout;
  const [chosen, setChosen] = useState<number | null>(null);
  const fitting = size === null ? 1 : Math.max(MIN, fittingScale({ width, height }, size));
  // Opening a card does not shrink the rest.
  const [fitted, setFitted] = useState<number | null>(null);
  const zoom = chosen ?? fitted ?? fitting;
  /** The point of the drawing and its place in the frame that stay fixed while the zoom changes. */
  const fixed = useRef<{ x: number; y: number; left: number; top: number } | null>(null);

  const keepFit = useEffectEvent(() => setFitted(size === null ? null : Math.max(READABLE, fitting)));
  const forget = useEffectEvent(() => setChosen(null));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chosen scale belongs to one look
  useLayoutEffect(forget, [look]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a card that opens keeps the scale, another size does not
  useLayoutEffect(keepFit, [size, look]);

  function change(next: number, left: number, top: number): void {
    const element = frame.current;
    if (element === null) return;
    const within = Math.min(MAX, Math.max(MIN, next));
    fixed.current = { x: (element.scrollLeft + left) / zoom, y: (element.scrollTop + top) / zoom, left, top };
    setChosen(within);
  }

  function changeInMiddle(factor: number): void {
    const element = frame.current;
    if (element !== null) change(zoom * factor, element.clientWidth / 2, element.clientHeight / 2);
  }

  useLayoutEffect(() => {
    const point = fixed.current;
    fixed.current = null;
    if (point === null) return;
    frame.current?.scrollTo(point.x * zoom - point.left, point.y * zoom - point.top);
  }, [zoom, frame]);

  useEffect(() => {
    const element = frame.current;
    const onWheel = (event: WheelEvent) => {
      if ((!event.ctrlKey && !event.metaKey) || element === null) return;
      event.preventDefault(); // The browser would zoom the page.
      const { left, top } = element.getBoundingClientRect();
      change(zoom * 2 ** (-event.deltaY / 400), event.clientX - left, event.clientY - top);
    };
    // React listens passively, which cannot keep the browser from zooming.
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  });

  return {
    zoom,
    enlarge: () => changeInMiddle(STEP),
    reduce: () => changeInMiddle(1 / STEP),
    /** The whole drawing at a scale of at most 1; follows the frame from then on. */
    fit() {
      setChosen(null);
      setFitted(fitting);
    },
    reveal(box: Box) {
      const element = frame.current;
      if (element === null) return;
      const [left, top] = [box.x * zoom, box.y * zoom];
      const isSeen =
        left >= element.scrollLeft &&
        top >= element.scrollTop &&
        left + box.width * zoom <= element.scrollLeft + element.clientWidth &&
        top + box.height * zoom <= element.scrollTop + element.clientHeight;
      if (isSeen) return;
      element.scrollTo(
        left + (box.width * zoom) / 2 - element.clientWidth / 2,
        top + (box.height * zoom) / 2 - element.clientHeight / 2,
      );
    },
  };
}

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
