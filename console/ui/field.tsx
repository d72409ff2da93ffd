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

const CHECK = 'inline-flex items-center gap-2 min-h-control [&_input]:ms-1 [&_input]:me-0.75';

interface Around {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value. */
  error?: string | null | undefined;
  /** The label is there for screen readers only. */
  isLabelHidden?: boolean;
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

type Without<Props> = Omit<Props, 'id' | 'className'>;
type TextProps = Around & Without<InputHTMLAttributes<HTMLInputElement>> & { ref?: Ref<HTMLInputElement> };
type AreaProps = Around & Without<TextareaHTMLAttributes<HTMLTextAreaElement>>;
type SelectProps = Around & Without<SelectHTMLAttributes<HTMLSelectElement>> & { ref?: Ref<HTMLSelectElement> };

export function TextField(props: TextProps) {
  return <Labelled as="input" autoComplete="off" spellCheck={false} {...props} />;
}

export function TextArea(props: AreaProps) {
  return <Labelled as="textarea" rows={3} {...props} />;
}

export function SelectField(props: SelectProps) {
  return <Labelled as="select" {...props} />;
}

/** Several boxes or circles to tick under one heading. */
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

type CheckProps = { label: ReactNode; hint?: ReactNode } & Without<InputHTMLAttributes<HTMLInputElement>>;

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
      {/* Below the words, not below the box. */}
      <div className="ps-7.75 max-700:ps-8.75">
        <Below id={id} hint={hint} />
      </div>
    </div>
  );
}

export function RadioField({ label, ...input }: { label: ReactNode } & Without<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <label className={CHECK}>
      <input type="radio" {...input} />
      {label}
    </label>
  );
}
