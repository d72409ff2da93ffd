/** The size of an element, as it is now. */
import { type RefObject, useLayoutEffect, useState } from 'react';
import type { Size } from './layout.ts';

/** Null before it is drawn. A scroll bar that comes or goes does not count. */
export function useSize(element: RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const measure = () =>
      setSize((before) => {
        // The border.
        const [width, height] = [box.offsetWidth - 2, box.offsetHeight - 2];
        return before?.width === width && before.height === height ? before : { width, height };
      });
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    return () => sizes.disconnect();
  }, [element]);
  return size;
}
