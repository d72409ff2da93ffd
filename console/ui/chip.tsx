/** A word in a box of its own, such as a filter that can be taken away, or a mark. */
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './chip.module.css';

interface Props {
  tone?: 'new' | 'bad' | 'warn' | 'accent' | undefined;
  /** Takes it away; `removeLabel` is the name of the button. */
  onRemove?: (() => void) | undefined;
  removeLabel?: string;
  children: ReactNode;
}

export function Chip({ tone, onRemove, removeLabel, children }: Props) {
  return (
    <span className={`${styles.chip} ${tone === undefined ? '' : styles[tone]}`}>
      <span data-foreign>{children}</span>
      {onRemove === undefined ? null : (
        <button type="button" aria-label={removeLabel} title={removeLabel} onClick={onRemove}>
          <X aria-hidden="true" />
        </button>
      )}
    </span>
  );
}
