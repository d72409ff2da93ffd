/** A modal dialog: the element of the platform, which keeps the focus inside, closes with Escape and gives focus back. */
import { X } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { common } from '../text/texts.ts';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';

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
    <dialog {...modal} aria-labelledby={heading} className={`${styles.dialog} ${isWide ? styles.wide : ''}`}>
      <div className={styles.head}>
        <h2 id={heading}>{title}</h2>
        <IconButton label={common.close} onClick={onClose}>
          <X />
        </IconButton>
      </div>
      <div className={styles.body}>{children}</div>
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
