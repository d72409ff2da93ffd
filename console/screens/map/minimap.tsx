/** An overview of a drawing that is larger than its frame. */
import { type PointerEvent, type RefObject, useEffect, useState } from 'react';
import styles from './drawing.module.css';
import type { Box, Layout } from './layout.ts';

const MAX_WIDTH = 176;
const MAX_HEIGHT = 120;

interface Props {
  layout: Layout;
  zoom: number;
  frame: RefObject<HTMLElement | null>;
}

export function Minimap({ layout, zoom, frame }: Props) {
  const { width, height, cards } = layout;
  const seen = useSeen(frame, layout, zoom);
  if (seen === null || (seen.width >= width - 1 && seen.height >= height - 1)) return null;
  const scale = Math.min(MAX_WIDTH / width, MAX_HEIGHT / height);

  function goTo({ currentTarget, clientX, clientY, buttons }: PointerEvent<SVGSVGElement>): void {
    if (buttons === 0 || seen === null) return;
    const { left, top } = currentTarget.getBoundingClientRect();
    const x = (clientX - left) / scale - seen.width / 2;
    const y = (clientY - top) / scale - seen.height / 2;
    frame.current?.scrollTo(x * zoom, y * zoom);
  }

  return (
    <svg
      className={`${styles.minimap} absolute right-4 bottom-4 border border-line rounded-control bg-[color-mix(in_srgb,var(--surface)_92%,transparent)] shadow-raised cursor-crosshair touch-none max-600:hidden [&_rect]:fill-control-line`}
      width={width * scale}
      height={height * scale}
      viewBox={`0 0 ${width} ${height}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={goTo}
      // The scroll bars and the keyboard do the same.
      aria-hidden="true"
    >
      {cards.map((card) => (
        <rect
          key={card.card.branch.key}
          {...{ x: card.x, y: card.y, width: card.width, height: card.height }}
          rx={10}
          data-down={card.card.leaves.some(({ status }) => status === 'down') || undefined}
        />
      ))}
      <rect className={styles.seen} {...{ x: seen.x, y: seen.y, width: seen.width, height: seen.height }} />
    </svg>
  );
}

/** The visible part; null before it is drawn. */
function useSeen(frame: RefObject<HTMLElement | null>, layout: Layout, zoom: number): Box | null {
  const [seen, setSeen] = useState<Box | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another layout may be scrolled to another place
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const look = () => {
      const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
      const box = { x: scrollLeft, y: scrollTop, width: clientWidth, height: clientHeight };
      setSeen({ x: box.x / zoom, y: box.y / zoom, width: box.width / zoom, height: box.height / zoom });
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [frame, layout, zoom]);
  return seen;
}
