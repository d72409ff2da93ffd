/** A modal dialog: the element of the platform, which keeps the focus inside, closes with Escape and gives focus back. */
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { texts } from '../texts.ts';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';

interface Props {
  title: string;
  onClose: () => void;
  isWide?: boolean;
  children: ReactNode;
}

/** Is open as long as it is rendered. */
export function Dialog({ title, onClose, isWide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className={`${styles.dialog} ${isWide ? styles.wide : ''}`}
      onCancel={(event) => {
        event.preventDefault(); // React removes the element, not the browser.
        onClose();
      }}
    >
      <div className={styles.head}>
        <h2 id={heading}>{title}</h2>
        <IconButton label={texts.common.close} onClick={onClose}>
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
