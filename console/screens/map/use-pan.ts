/** Pulling the drawing with the mouse where it is empty. A finger scrolls by itself. */
import { type PointerEvent, type RefObject, useRef } from 'react';

export function usePan(frame: RefObject<HTMLElement | null>) {
  const last = useRef<{ x: number; y: number } | null>(null);
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const isEmpty = event.target instanceof Element && event.target.closest('[data-card]') === null;
      if (event.pointerType !== 'mouse' || event.button !== 0 || !isEmpty) return;
      const { left, top } = event.currentTarget.getBoundingClientRect();
      const { clientWidth, clientHeight } = event.currentTarget;
      // The scroll bars are part of the element.
      if (event.clientX - left > clientWidth || event.clientY - top > clientHeight) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      last.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove({ clientX, clientY }: PointerEvent<HTMLElement>) {
      if (last.current === null) return;
      frame.current?.scrollBy(last.current.x - clientX, last.current.y - clientY);
      last.current = { x: clientX, y: clientY };
    },
    onPointerUp: () => {
      last.current = null;
    },
    onPointerCancel: () => {
      last.current = null;
    },
  };
}
