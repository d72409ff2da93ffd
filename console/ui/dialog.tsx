/** A modal dialog: the `dialog` element keeps the focus inside, closes with Escape and restores the focus. */
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

/** Not a button, and not a checkbox, which a Space would tick by accident. */
const FIRST_FIELD = [
  'input:not([type="hidden"], [type="file"], [type="checkbox"], [type="radio"], :disabled)',
  'select:not(:disabled)',
  'textarea:not(:disabled)',
].join(', ');

/** Opens a `dialog` element as a modal while it is rendered. The focus goes to the first field. */
export function useModal(onClose: () => void): ComponentProps<'dialog'> {
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect closes it before React removes the element: only then does closing restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would focus the first button, which closes the dialog.
    element?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => element?.close();
  }, []);
  return {
    ref: dialog,
    onCancel(event) {
      if (event.target !== event.currentTarget) return; // The picker of a file field was cancelled.
      event.preventDefault(); // React removes the element, not the browser.
      onClose();
    },
    onClose({ currentTarget, target }) {
      // When Escape is pressed twice, the browser closes it without the event `cancel`.
      if (target === currentTarget && !currentTarget.open) onClose();
    },
  };
}

/** Open while it is rendered. */
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
        <IconButton label={common.close} icon={<X />} onClick={onClose} />
      </div>
      <div className="grid gap-4 min-w-0 px-5 pt-1 pb-5">{children}</div>
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    // In a scrolling dialog they stay in view, over fading content.
    <div className="sticky flex bottom-0 z-1 flex-wrap justify-end gap-2 -mx-5 -mt-1 -mb-5 px-5 pt-3 pb-4 bg-surface [box-shadow:0_-8px_8px_-4px_var(--surface)]">
      {children}
    </div>
  );
}
