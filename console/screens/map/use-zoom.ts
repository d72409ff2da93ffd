/** The part of the drawing that is seen: how large it is drawn, and where its scroll bars stand. */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Box, Layout } from './layout.ts';

const STEP = 1.25;
const MIN = 0.1;
const MAX = 2;

export interface Zoom {
  zoom: number;
  enlarge(): void;
  reduce(): void;
  /** All of the drawing, but never larger than life. */
  fit(): void;
  /** Scrolls so that the box is in the middle, unless it is seen already. */
  reveal(box: Box): void;
}

export function useZoom(frame: RefObject<HTMLElement | null>, { width, height }: Layout): Zoom {
  const [zoom, setZoom] = useState(1);
  /** The point of the drawing, and the point of the frame at which it stays while the zoom changes. */
  const fixed = useRef<{ x: number; y: number; left: number; top: number } | null>(null);

  function change(factor: number, left: number, top: number): void {
    const element = frame.current;
    if (element === null) return;
    const next = Math.min(MAX, Math.max(MIN, zoom * factor));
    fixed.current = { x: (element.scrollLeft + left) / zoom, y: (element.scrollTop + top) / zoom, left, top };
    setZoom(next);
  }

  function changeInMiddle(factor: number): void {
    const element = frame.current;
    if (element !== null) change(factor, element.clientWidth / 2, element.clientHeight / 2);
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
      change(2 ** (-event.deltaY / 400), event.clientX - left, event.clientY - top);
    };
    // React listens passively, which cannot keep the browser from zooming.
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  });

  return {
    zoom,
    enlarge: () => changeInMiddle(STEP),
    reduce: () => changeInMiddle(1 / STEP),
    fit() {
      const element = frame.current;
      if (element === null) return;
      const whole = Math.min(1, element.clientWidth / width, element.clientHeight / height);
      changeInMiddle(Math.max(MIN, whole) / zoom);
    },
    reveal(box) {
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
