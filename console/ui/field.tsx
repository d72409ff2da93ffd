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

/** What a field is described by, below it. */
function describedBy(id: string, { hint, error }: Pick<Around, 'hint' | 'error'>): string | undefined {
  const parts = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts.join(' ');
}

function Below({ id, hint, error }: Pick<Around, 'hint' | 'error'> & { id: string }) {
  return (
    <>
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
    </>
  );
}

function Labelled({ label, isLabelHidden, children, ...below }: Around & { children: (ids: Ids) => ReactNode }) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({ id, 'aria-describedby': describedBy(id, below), 'aria-invalid': below.error ? true : undefined })}
      <Below id={id} {...below} />
    </div>
  );
}

type Without<Props> = Omit<Props, 'id' | 'className'>;
type TextProps = Around & Without<InputHTMLAttributes<HTMLInputElement>> & { ref?: Ref<HTMLInputElement> };
type AreaProps = Around & Without<TextareaHTMLAttributes<HTMLTextAreaElement>>;
type SelectProps = Around & Without<SelectHTMLAttributes<HTMLSelectElement>> & { ref?: Ref<HTMLSelectElement> };

export function TextField({ label, hint, error, isLabelHidden, ...input }: TextProps) {
  return (
    <Labelled {...{ label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      {(ids) => <input className={styles.input} autoComplete="off" spellCheck={false} {...input} {...ids} />}
    </Labelled>
  );
}

export function TextArea({ label, hint, error, isLabelHidden, ...input }: AreaProps) {
  return (
    <Labelled {...{ label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      {(ids) => <textarea className={styles.input} rows={3} {...input} {...ids} />}
    </Labelled>
  );
}

export function SelectField({ label, hint, error, isLabelHidden, ...select }: SelectProps) {
  return (
    <Labelled {...{ label, hint, error, isLabelHidden: isLabelHidden ?? false }}>
      {(ids) => <select className={styles.input} {...select} {...ids} />}
    </Labelled>
  );
}

/** Several boxes or circles to tick under one heading. */
export function CheckGroup({ label, children, ...below }: Omit<Around, 'isLabelHidden'> & { children: ReactNode }) {
  const id = useId();
  return (
    <fieldset className={styles.group} aria-describedby={describedBy(id, below)}>
      <legend>{label}</legend>
      {children}
      <Below id={id} {...below} />
    </fieldset>
  );
}

interface ListProps<Value extends string> {
  options: readonly Value[];
  value: readonly Value[];
  onChange: (value: Value[]) => void;
  labelOf: (option: Value) => ReactNode;
}

/** A box for each option; what is ticked keeps the order of the options. */
export function CheckList<Value extends string>({ options, value, onChange, labelOf }: ListProps<Value>) {
  return options.map((option) => (
    <CheckField
      key={option}
      label={labelOf(option)}
      checked={value.includes(option)}
      onChange={({ target: { checked } }) =>
        onChange(options.filter((one) => (one === option ? checked : value.includes(one))))
      }
    />
  ));
}

export function CheckField({ label, ...input }: { label: ReactNode } & Without<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <label className={styles.check}>
      <input type="checkbox" {...input} />
      {label}
    </label>
  );
}

export function RadioField({ label, ...input }: { label: ReactNode } & Without<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <label className={styles.check}>
      <input type="radio" {...input} />
      {label}
    </label>
  );
}
