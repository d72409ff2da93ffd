/** A modal dialog: the element of the platform, which keeps the focus inside, closes with Escape and gives focus back. */
import common from 'messages:common';
import { X } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { IconButton } from './button.tsx';

interface Props {
  title: string;
  onClose: () => void;
  isWide?: boolean;
  children: ReactNode;
}

/** What a person fills in: not a button, and not a box that a Space would tick unseen. */
const FIRST_FIELD = [
  'input:not([type="hidden"], [type="file"], [type="checkbox"], [type="radio"], :disabled)',
  'select:not(:disabled)',
  'textarea:not(:disabled)',
].join(', ');

/** What makes a `dialog` element a modal one, open as long as it is rendered. Its first field gets the focus, or the one with `data-first`. */
export function useModal(onClose: () => void): ComponentProps<'dialog'> {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the element is removed from the page: only then does closing it give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would take the first button, which is the one that closes.
    const first =
      element?.querySelector<HTMLElement>('[data-first]') ?? element?.querySelector<HTMLElement>(FIRST_FIELD);
    first?.focus();
    return () => element?.close();
  }, []);
  return {
    ref: dialog,
    onCancel(event) {
      if (event.target !== event.currentTarget) return; // A field for files whose picker was left.
      event.preventDefault(); // React removes the element, not the browser.
      onClose();
    },
    onClose({ currentTarget, target }) {
      // The browser closes it by itself when Escape is pressed twice, without the event `cancel`.
      if (target === currentTarget && !currentTarget.open) onClose();
    },
  };
}

/** Is open as long as it is rendered. */
export function Dialog({ title, onClose, isWide = false, children }: Props) {
  const modal = useModal(onClose);
  const heading = useId();
  return (
    <dialog
      {...modal}
      aria-labelledby={heading}
      className={`max-h-[calc(100dvh_-_64px)] p-0 card shadow-raised [scroll-padding-block-end:72px] text-text backdrop:bg-[rgb(10_15_25/45%)] ${isWide ? 'w-[min(880px,calc(100vw_-_32px))]' : 'w-[min(560px,calc(100vw_-_32px))]'}`}
    >
      <div className="flex items-center justify-between gap-3 pr-3 pl-5 pt-3.5 pb-2">
        <h2 id={heading}>{title}</h2>
        <IconButton label={common.close} onClick={onClose}>
          <X />
        </IconButton>
      </div>
      <div className="grid gap-4 min-w-0 px-5 pt-1 pb-5">{children}</div>
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    // Where the dialog scrolls, they stay in sight, and what is behind them fades.
    <div className="sticky flex bottom-0 z-1 flex-wrap justify-end gap-2 -mx-5 -mt-1 -mb-5 px-5 pt-3 pb-4 bg-surface [box-shadow:0_-8px_8px_-4px_var(--surface)]">
      {children}
    </div>
  );
}
