/** Inputs with a label, a hint and an error, connected for screen readers. */
import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

const CHECK = 'inline-flex items-center gap-2 min-h-control [&_input]:ms-1 [&_input]:me-0.75';

interface Around {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
  /** Keeps the label for screen readers. */
  isLabelHidden?: boolean;
}

function describedBy(id: string, { hint, error }: Pick<Around, 'hint' | 'error'>): string | undefined {
  const parts = [hint && hint !== error ? `${id}-hint` : '', error ? `${id}-error` : ''].filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts.join(' ');
}

function Below({ id, hint, error }: Pick<Around, 'hint' | 'error'> & { id: string }) {
  return (
    <>
      {hint && hint !== error ? (
        <div id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </div>
      ) : null}
      {error ? (
        <div id={`${id}-error`} className="text-bad text-sm" role="alert">
          {error}
        </div>
      ) : null}
    </>
  );
}

interface LabelledProps extends Around {
  as: 'input' | 'textarea' | 'select';
  [attribute: string]: unknown;
}

function Labelled({ as: Control, label, hint, error, isLabelHidden, ...attributes }: LabelledProps) {
  const id = useId();
  return (
    <div className="grid gap-1 min-w-0">
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : 'text-sm font-medium'}>
        {label}
      </label>
      <Control
        {...attributes}
        id={id}
        className={`${styles.input} w-full min-h-control px-2 py-1 border border-control-line rounded-control bg-surface aria-[invalid=true]:border-bad`}
        aria-describedby={describedBy(id, { hint, error })}
        aria-invalid={error ? true : undefined}
      />
      <Below id={id} hint={hint} error={error} />
    </div>
  );
}

type Attributes<Tag extends 'input' | 'textarea' | 'select'> = Omit<ComponentProps<Tag>, 'id' | 'className'>;

export function TextField(props: Around & Attributes<'input'>) {
  return <Labelled as="input" autoComplete="off" spellCheck={false} {...props} />;
}

export function TextArea(props: Around & Attributes<'textarea'>) {
  return <Labelled as="textarea" rows={3} {...props} />;
}

export function SelectField(props: Around & Attributes<'select'>) {
  return <Labelled as="select" {...props} />;
}

/** Checkboxes or radio buttons under one heading. */
export function CheckGroup({ label, children, ...below }: Omit<Around, 'isLabelHidden'> & { children: ReactNode }) {
  const id = useId();
  return (
    <fieldset
      className="grid justify-items-start min-w-0 m-0 p-0 border-0 [&_legend]:px-0 [&_legend]:pt-0 [&_legend]:pb-0.5 [&_legend]:font-medium"
      aria-describedby={describedBy(id, below)}
    >
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

/** A checkbox for each option; the value keeps the order of the options. */
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

type CheckProps = { label: ReactNode; hint?: ReactNode } & Attributes<'input'>;

export function CheckField({ label, hint, ...input }: CheckProps) {
  const id = useId();
  const check = (
    <label className={CHECK}>
      <input type="checkbox" aria-describedby={describedBy(id, { hint })} {...input} />
      {label}
    </label>
  );
  if (!hint) return check;
  return (
    <div>
      {check}
      {/* Below the label, not below the checkbox. */}
      <div className="ps-7.75 max-700:ps-8.75">
        <Below id={id} hint={hint} />
      </div>
    </div>
  );
}

export function RadioField({ label, ...input }: { label: ReactNode } & Attributes<'input'>) {
  return (
    <label className={CHECK}>
      <input type="radio" {...input} />
      {label}
    </label>
  );
}
