/** The cards and lines in a frame that scrolls, with the keyboard of a tree. */
import { type RefObject, useRef, useState } from 'react';
import { CardView, type Marks } from './card.tsx';
import styles from './drawing.module.css';
import { stepFrom } from './keyboard.ts';
import { type Layout, proposedPath, shortPort } from './layout.ts';
import { Minimap } from './minimap.tsx';
import type { Proposal } from './proposals.tsx';

const LINES = `${styles.lines} absolute inset-0 pointer-events-none [&_text]:fill-muted [&_text]:font-mono [&_text]:text-[10.5px] [&_text]:[text-anchor:end] [&_path]:fill-none [&_path]:stroke-control-line [&_path]:stroke-[1.25] [&_path]:[stroke-linejoin:round]`;

interface Props {
  site: string;
  label: string;
  layout: Layout;
  zoom: number;
  proposed: readonly Proposal[];
  marks: Marks;
  active: string | null;
  isMovable: boolean;
  frame: RefObject<HTMLElement | null>;
  onActive: (key: string) => void;
  onChoose: (key: string | null) => void;
  onGoTo: (key: string) => void;
  onToggle: (key: string, isOpen: boolean) => void;
  onMove: (key: string, parent: string) => void;
}

export function Drawing(props: Props) {
  const { site, label, layout, zoom, proposed, marks, active, isMovable, frame } = props;
  const { cards, links, width, height } = layout;
  const dragged = useRef<string | null>(null);
  const [dropTarget, setDropTarget] = useState<string | null>(null);
  const pan = usePan(frame);

  function toggle(key: string): void {
    const card = cards.find((placed) => placed.card.branch.key === key)?.card;
    if (card !== undefined) props.onToggle(key, !card.isOpen);
  }

  function onClick(event: React.MouseEvent): void {
    const key = keyOf(event.target);
    if (key === null) return;
    const isToggle = event.target instanceof Element && event.target.closest('[data-toggle]') !== null;
    const isOpening = event.detail !== 1 || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!isToggle && hasAddress(event.target) && isOpening) return; // The browser follows the link.
    event.preventDefault();
    if (isToggle || !hasAddress(event.target)) toggle(key);
    else props.onChoose(key);
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const key = keyOf(event.target);
    if (key === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') props.onChoose(null);
    if (event.key === 'Enter' && !hasAddress(event.target)) toggle(key);
    const step = stepFrom(cards, key, event.key);
    const isOurs = step !== null || event.key.startsWith('Arrow') || event.key === ' ';
    if (isOurs) event.preventDefault();
    if (step !== null && 'toggle' in step) toggle(step.toggle);
    if (step !== null && 'goTo' in step) props.onGoTo(step.goTo);
  }

  function onDragStart(event: React.DragEvent): void {
    dragged.current = keyOf(event.target);
    if (dragged.current === null) return;
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', dragged.current); // Firefox drags nothing without data.
  }

  function onDragOver(event: React.DragEvent): void {
    const target = dragged.current === null ? null : cardOf(event.target);
    setDropTarget(target);
    if (target === null) return;
    event.preventDefault(); // Allows the drop.
    event.dataTransfer.dropEffect = 'move';
  }

  function onDrop(event: React.DragEvent): void {
    const [key, parent] = [dragged.current, cardOf(event.target)];
    onDragEnd();
    if (key === null || parent === null) return;
    event.preventDefault();
    props.onMove(key, parent);
  }

  function onDragEnd(): void {
    dragged.current = null;
    setDropTarget(null);
  }

  return (
    <div className="relative grid flex-1 min-w-0 min-h-85">
      <div
        ref={frame as RefObject<HTMLDivElement>}
        tabIndex={-1}
        className="relative grid min-h-0 border border-line rounded-card bg-sunken [place-content:safe_center] overflow-auto overscroll-contain"
        {...pan}
      >
        <div className="overflow-hidden" style={{ width: width * zoom, height: height * zoom }}>
          <div
            role="tree"
            aria-label={label}
            className="relative [transform-origin:0_0]"
            style={{ width, height, transform: `scale(${zoom})` }}
            onClick={onClick}
            onKeyDown={onKeyDown}
            onFocus={({ target }) => {
              const key = keyOf(target);
              if (key === null) return;
              props.onActive(key);
              // The panel would move the drawing below a mouse that begins to drag.
              if (target.matches(':focus-visible')) props.onChoose(key);
            }}
            onDragStart={onDragStart}
            onDragOver={onDragOver}
            onDrop={onDrop}
            onDragEnd={onDragEnd}
          >
            <svg className={LINES} width={width} height={height} aria-hidden="true">
              {links.map(({ key, path, isDown }) => (
                <path
                  key={key}
                  d={path}
                  data-down={isDown || undefined}
                  data-falling={marks.falling.has(key) || undefined}
                />
              ))}
              {links.map(({ key, port, label: { x, y } }) =>
                port === '' ? null : (
                  <text key={key} x={x} y={y}>
                    {shortPort(port)}
                  </text>
                ),
              )}
            </svg>
            {cards.map((placed) => {
              const { branch, leaves } = placed.card;
              const isHere = active !== null && (branch.key === active || leaves.some(({ key }) => key === active));
              return (
                <CardView
                  key={branch.key}
                  {...{ site, placed, marks, isMovable }}
                  active={isHere ? active : null}
                  isDropTarget={dropTarget === branch.key}
                />
              );
            })}
            {proposed.length === 0 ? null : (
              <svg className={LINES} width={width} height={height} aria-hidden="true">
                {proposed.map(({ device, parent }) => (
                  <path
                    key={device.key}
                    className={styles.proposed}
                    d={proposedPath(layout, parent.key, device.key) ?? undefined}
                  />
                ))}
              </svg>
            )}
          </div>
        </div>
      </div>
      <Minimap {...{ layout, zoom, frame }} />
    </div>
  );
}

/** Dragging the empty parts of the drawing with the mouse; the browser scrolls for a finger. */
function usePan(frame: RefObject<HTMLElement | null>) {
  const last = useRef<{ x: number; y: number } | null>(null);
  const stop = () => {
    last.current = null;
  };
  return {
    onPointerDown({ target, pointerType, button, pointerId, currentTarget, clientX, clientY }: React.PointerEvent) {
      if (pointerType !== 'mouse' || button !== 0 || cardOf(target) !== null) return;
      const { left, top } = currentTarget.getBoundingClientRect();
      // The scroll bars are part of the element.
      if (clientX - left > currentTarget.clientWidth || clientY - top > currentTarget.clientHeight) return;
      currentTarget.setPointerCapture(pointerId);
      last.current = { x: clientX, y: clientY };
    },
    onPointerMove({ clientX, clientY }: React.PointerEvent) {
      if (last.current === null) return;
      frame.current?.scrollBy(last.current.x - clientX, last.current.y - clientY);
      last.current = { x: clientX, y: clientY };
    },
    onPointerUp: stop,
    onPointerCancel: stop,
  };
}

const keyOf = (target: EventTarget) => attributeOf(target, 'data-key');
const cardOf = (target: EventTarget) => attributeOf(target, 'data-card');

function attributeOf(target: EventTarget, name: string): string | null {
  return target instanceof Element ? (target.closest(`[${name}]`)?.getAttribute(name) ?? null) : null;
}

function hasAddress(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[data-key]')?.hasAttribute('href') === true;
}
