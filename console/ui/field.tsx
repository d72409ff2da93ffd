/** Inputs with their label, a hint and what is wrong with them, tied together for screen readers. */
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import styles from './field.module.css';

interface Around {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value. */
  error?: string | null | undefined;
  /** The label is there for screen readers only. */
  isLabelHidden?: boolean;
}

interface Ids {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

function Labelled({ label, hint, error, isLabelHidden, children }: Around & { children: (ids: Ids) => ReactNode }) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter((part) => part !== '').join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint ? (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      ) : null}
      {error ? (
        <div id={`${id}-error`} className={styles.error}>
          {error}
        </div>
      ) : null}
    </div>
  );
}

type Without<Props> = Omit<Props, 'id' | 'className'>;

export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  ...input
}: Around & Without<InputHTMLAttributes<HTMLInputElement>> & { ref?: Ref<HTMLInputElement> }) {
  return (
    <Labelled {...{ label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      {(ids) => <input className={styles.input} autoComplete="off" spellCheck={false} {...input} {...ids} />}
    </Labelled>
  );
}

export function TextArea({
  label,
  hint,
  error,
  isLabelHidden,
  ...input
}: Around & Without<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Labelled {...{ label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      {(ids) => <textarea className={styles.input} rows={3} {...input} {...ids} />}
    </Labelled>
  );
}

export function SelectField({
  label,
  hint,
  error,
  isLabelHidden,
  ...select
}: Around & Without<SelectHTMLAttributes<HTMLSelectElement>> & { ref?: Ref<HTMLSelectElement> }) {
  return (
    <Labelled {...{ label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      {(ids) => <select className={styles.input} {...select} {...ids} />}
    </Labelled>
  );
}

export function CheckField({ label, ...input }: { label: ReactNode } & Without<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <label className={styles.check}>
      <input type="checkbox" {...input} />
      {label}
    </label>
  );
}
