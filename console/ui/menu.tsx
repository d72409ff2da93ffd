/** A button that opens a menu of actions (https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/). */
import { Ellipsis } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type Action, usePerform } from './action.tsx';
import { Button, IconButton } from './button.tsx';

export type MenuItem = Action;

interface Props {
  /** For screen readers. */
  label: string;
  items: readonly Action[];
  /** In place of three dots. */
  children?: ReactNode;
  className?: string;
}

export function Menu({ label, items, children, className = '' }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const { perform, dialog } = usePerform(items);
  const anchorName = `--${id}`;

  function focus(step: 'first' | 'last' | number): void {
    const all = [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)') ?? [])];
    const now = all.indexOf(document.activeElement as HTMLElement);
    const to = step === 'first' ? 0 : step === 'last' ? all.length - 1 : (now + step + all.length) % all.length;
    all[to]?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = ({ ArrowDown: 1, ArrowUp: -1, Home: 'first', End: 'last' } as const)[event.key];
    if (event.key === 'Tab') menu.current?.hidePopover();
    // So that no shortcut of the screen runs.
    event.stopPropagation();
    if (step === undefined) return;
    event.preventDefault();
    focus(step);
  }

  const button = {
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    popoverTarget: id,
    className,
    style: { anchorName },
  } as const;
  return (
    <>
      {children === undefined ? (
        <IconButton label={label} icon={<Ellipsis />} {...button} />
      ) : (
        <Button aria-label={label} look="quiet" {...button}>
          {children}
        </Button>
      )}
      <div
        ref={menu}
        id={id}
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        className="popover min-w-45 max-w-[calc(100vw_-_16px)] p-1 [position-area:end_span-start] [position-try-fallbacks:flip-block,flip-inline]"
        style={{ positionAnchor: anchorName }}
        onToggle={({ newState }) => {
          setOpen(newState === 'open');
          if (newState === 'open') focus('first');
        }}
        onKeyDown={onKeyDown}
        onClick={() => menu.current?.hidePopover()}
      >
        {isOpen ? items.map((item) => <Item key={item.label} {...item} run={() => perform(item)} />) : null}
      </div>
      {dialog}
    </>
  );
}

const ITEM =
  'flex items-center gap-2 w-full min-h-control px-2 py-1 border-0 rounded-control bg-transparent text-sm text-start no-underline whitespace-nowrap cursor-pointer hover:bg-hover hover:[outline:none] focus:bg-hover focus:[outline:none] disabled:opacity-55 disabled:cursor-default [&_svg]:flex-none [&_svg]:size-4 forced-colors:focus:[outline:2px_solid_Highlight] forced-colors:focus:-outline-offset-2';

function Item({ label, icon, hint, isDanger = false, isDisabled = false, to, run }: Action) {
  const className = `${ITEM} ${isDanger ? 'text-bad [&_svg]:text-bad' : 'text-inherit [&_svg]:text-muted'}`;
  const inside = (
    <>
      {icon}
      {label}
      {hint !== undefined && <span className="ms-auto ps-4 text-muted text-xs">{hint}</span>}
    </>
  );
  if (to !== undefined) {
    return (
      <Link href={to} role="menuitem" tabIndex={-1} className={className}>
        {inside}
      </Link>
    );
  }
  return (
    <button type="button" role="menuitem" tabIndex={-1} className={className} disabled={isDisabled} onClick={run}>
      {inside}
    </button>
  );
}
