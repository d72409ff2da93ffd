/** Several boxes to tick under one heading. */
import { type ReactNode, useId } from 'react';
import styles from './check-group.module.css';

interface Props {
  label: string;
  hint?: string;
  error?: string | undefined;
  children: ReactNode;
}

export function CheckGroup({ label, hint, error, children }: Props) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter((part) => part !== '').join(' ');
  return (
    <fieldset className={styles.group} aria-describedby={described || undefined}>
      <legend>{label}</legend>
      {children}
      {hint ? (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      ) : null}
      {error ? (
        <div id={`${id}-error`} className={styles.error} role="alert">
          {error}
        </div>
      ) : null}
    </fieldset>
  );
}
