/**
 * A form that sends one change to the API. Errors of the operation's schema, before sending, and of the API appear at their
 * fields; all others in a box above the buttons.
 */
import common from 'messages:common';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type * as z from 'zod';
import { problemOf } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import styles from './form.module.css';
import { ProblemBox } from './state.tsx';
import { showToast } from './toast.tsx';

interface Options<Values extends object, Body, Answer> {
  /** The initial values. They may change while the form is open, and may depend on entered values, which stay. */
  first: Values | ((entered: Partial<Values>) => Values);
  /** @param changes the values that differ from the first ones */
  body: (values: Values, changes: Partial<Values>) => Body;
  /** The schema of the body. */
  schema?: z.ZodType;
  /** Errors in place of the schema's technical messages. */
  says?: Partial<Record<keyof Values, string>>;
  send: (body: Body) => Promise<Answer>;
  /** Confirms the change. */
  toast?: string;
  onDone?: (answer: Answer) => void;
}

type NamesOf<Values, Kind> = { [Name in keyof Values]: Values[Name] extends Kind ? Name : never }[keyof Values];
type Errors<Values> = Partial<Record<keyof Values, string>>;

interface Submittable {
  isPending: boolean;
  /** An error that belongs to no field. */
  problem: unknown;
  submit: () => void;
}

interface FieldProps<Value, Change> {
  value: Value;
  error: string | undefined;
  onChange: (change: Change) => void;
}
type OnCheck = (event: { target: { checked: boolean } }) => void;

export interface Form<Values> extends Submittable {
  values: Values;
  /** Whether a value differs from the first one. */
  isChanged: boolean;
  /** The error of the API, at a field or not. */
  error: Error | null;
  set: (changed: Partial<Values>) => void;
  reset: () => void;
  /** The properties of a text field or a choice. */
  text: <Name extends NamesOf<Values, string>>(name: Name) => FieldProps<Values[Name], { target: { value: string } }>;
  check: (name: NamesOf<Values, boolean>) => { checked: boolean; onChange: OnCheck };
  /** For fields of other kinds. */
  errorOf: (name: keyof Values) => string | undefined;
  /** The properties of a list of checkboxes. */
  list: <Name extends NamesOf<Values, readonly string[]>>(name: Name) => FieldProps<Values[Name], Values[Name]>;
}

export function useForm<Values extends object, Body, Answer>(options: Options<Values, Body, Answer>): Form<Values> {
  const { schema, says = {}, send, toast, onDone } = options;
  const [entered, setEntered] = useState<Partial<Values>>({});
  const [isTried, setTried] = useState(false);
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: send,
    // Not awaited: the page shows the answer, such as a secret, at once.
    onSettled: () => void queries.invalidateQueries(),
  });

  const first = typeof options.first === 'function' ? options.first(entered) : options.first;
  const values = { ...first, ...entered };
  const names = Object.keys(values) as (keyof Values)[];
  const changes = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isSame(value, first[name as keyof Values])),
  ) as Partial<Values>;
  const body = options.body(values, changes);

  function ownErrors(): Errors<Values> {
    const issues = schema?.safeParse(body).error?.issues ?? [];
    const problems = issues.map(({ path, message }) => ({ path: path.map(String), message }));
    return byField(names, problems, says);
  }

  const rejected =
    error === null ? [] : problemOf(error).fields.map((one) => ({ ...one, path: one.path.split(/[.[\]]+/) }));
  const errors = { ...byField(names, rejected), ...(isTried ? ownErrors() : {}) };
  const isAtFields = rejected.length > 0 && rejected.every(({ path }) => fieldOf(names, path) !== undefined);
  function set(changed: Partial<Values>): void {
    setEntered((before) => ({ ...before, ...changed }));
    // The error of the API concerned the values before.
    if (error !== null) reset();
  }
  const setOne = <Name extends keyof Values>(name: Name, value: unknown) =>
    set({ [name]: value } as unknown as Partial<Values>);

  return {
    values,
    isChanged: Object.keys(changes).length > 0,
    isPending,
    error,
    problem: isAtFields ? null : error,
    set,
    reset() {
      setEntered({});
      setTried(false);
      reset();
    },
    submit() {
      setTried(true);
      if (isPending || Object.keys(ownErrors()).length > 0) return;
      mutate(body, {
        onSuccess(answer) {
          if (toast !== undefined) showToast(toast);
          onDone?.(answer);
        },
      });
    },
    text: (name) => ({
      value: values[name],
      error: errors[name],
      onChange: ({ target }) => setOne(name, target.value),
    }),
    check: (name) => ({ checked: values[name] as boolean, onChange: ({ target }) => setOne(name, target.checked) }),
    errorOf: (name) => errors[name],
    list: (name) => ({ value: values[name], error: errors[name], onChange: (value) => setOne(name, value) }),
  };
}

/** A form without fields, for a confirmation. */
export function useConfirmation<Answer>(options: {
  send: () => Promise<Answer>;
  toast?: string;
  onDone?: (answer: Answer) => void;
}): Submittable {
  return useForm({ ...options, first: {}, body: () => undefined });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The field of a path, such as `networks` for `discovery.networks.0`. */
function fieldOf<Name>(names: readonly Name[], path: readonly string[]): Name | undefined {
  return names.find((name) => path.includes(String(name)));
}

function byField<Values>(
  names: readonly (keyof Values)[],
  problems: readonly { path: readonly string[]; message: string }[],
  says: Errors<Values> = {},
): Errors<Values> {
  const errors: Errors<Values> = {};
  for (const { path, message } of problems) {
    const name = fieldOf(names, path);
    if (name !== undefined) errors[name] ??= says[name] ?? sentence(message);
  }
  return errors;
}

/** Messages of schemas begin in lower case. */
function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

interface FormProps {
  form: Submittable;
  children: ReactNode;
}

export function FormBox({ form: { problem, submit }, children, actions }: FormProps & { actions: ReactNode }) {
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className={`${styles.form} grid gap-4`} onSubmit={onSubmit} noValidate>
      {children}
      {problem !== null && <ProblemBox error={problem} />}
      {actions}
    </form>
  );
}

interface DialogProps extends FormProps {
  title: string;
  /** The label of the button. */
  submit: string;
  look?: 'primary' | 'danger';
  /** Whether there is something to send. */
  isReady?: boolean;
  isWide?: boolean;
  onClose: () => void;
}

/** A form in a dialog, or a confirmation without fields. It stays open while the request is pending. */
export function FormDialog(props: DialogProps) {
  const { form, title, submit, look = 'primary', isReady = true, isWide = false, onClose, children } = props;
  const { isPending } = form;
  const close = isPending ? () => {} : onClose;
  return (
    <Dialog title={title} onClose={close} isWide={isWide}>
      <FormBox
        form={form}
        actions={
          <DialogActions>
            <Button onClick={close} disabled={isPending}>
              {common.cancel}
            </Button>
            <Button type="submit" look={look} disabled={isPending || !isReady}>
              {submit}
            </Button>
          </DialogActions>
        }
      >
        {children}
      </FormBox>
    </Dialog>
  );
}

/** The buttons of a form on a page; they appear with the first change. */
export function SaveActions({ form }: { form: Pick<Form<object>, 'isChanged' | 'isPending' | 'reset'> }) {
  if (!form.isChanged) return null;
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" look="primary" disabled={form.isPending}>
        {common.save}
      </Button>
      <Button onClick={form.reset} disabled={form.isPending}>
        {common.cancel}
      </Button>
    </div>
  );
}
