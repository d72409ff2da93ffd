/**
 * A form that sends one change to the API. Errors of the operation's schema, before sending, and of the API appear at their
 * fields; all others in a box above the buttons.
 */
import common from 'messages:common';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useState } from 'react';
import type * as z from 'zod';
import { type AnswerOf, ask, type Question, type ReadRoute, type Route } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ProblemBox } from './state.tsx';
import { showToast } from './toast.tsx';

type ChangeRoute = Exclude<Route, ReadRoute>;
export type BodyOf<R extends ChangeRoute> = NonNullable<Question<R>['body']>;

interface Sending<Answer> {
  send: () => Promise<Answer>;
  /** Confirms the change. */
  toast?: string | undefined;
  onDone?: ((answer: Answer) => void) | undefined;
}

interface Options<Values extends object, R extends ChangeRoute, Answer> extends Omit<Sending<Answer>, 'send'> {
  /** The operation, whose schema checks the body before it is sent. */
  route: R;
  /** The request besides its body. */
  question?: Omit<Question<R>, 'body'>;
  /** The initial values. They may change while the form is open, and may depend on entered values, which stay. */
  first: Values | ((entered: Partial<Values>) => Values);
  /** @param changes the values that differ from the first ones */
  body: (values: Values, changes: Partial<Values>) => BodyOf<R>;
  /** Checks more than the schema does. */
  refine?: (body: BodyOf<R>, context: z.RefinementCtx) => void;
  /** Errors in place of the schema's technical messages. */
  says?: Partial<Record<keyof Values, string>>;
  /** In place of the operation alone. */
  send?: (body: BodyOf<R>) => Promise<Answer>;
}

let bodies: Promise<typeof import('../api/bodies.ts')['bodyOf']> | undefined;

/** Undefined where it cannot be loaded: then the API alone checks the body. */
async function loadSchema(route: Route): Promise<z.ZodType | undefined> {
  bodies ??= import('../api/bodies.ts').then(({ bodyOf }) => bodyOf);
  return (await bodies.catch(() => undefined))?.(route);
}

/** Rejected here already: its fields say why. */
const INVALID = new Error('invalid');

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

export function useForm<Values extends object, R extends ChangeRoute, Answer = AnswerOf<R>>(
  options: Options<Values, R, Answer>,
): Form<Values> {
  const { route, question = {}, refine, says = {}, toast, onDone } = options;
  const { send = (given) => ask(route, { ...question, body: given } as Question<R>) as Promise<Answer> } = options;
  const [entered, setEntered] = useState<Partial<Values>>({});
  const [isTried, setTried] = useState(false);
  const [schema, setSchema] = useState<z.ZodType>();
  useEffect(() => void loadSchema(route).then(setSchema), [route]);
  const { error: failure, ...sending } = useSending({
    ...{ toast, onDone },
    async send() {
      if (hasKeys(ownErrors(await loadSchema(route)))) throw INVALID;
      return send(body);
    },
  });
  const error = failure === INVALID ? null : failure;

  const first = typeof options.first === 'function' ? options.first(entered) : options.first;
  const values = { ...first, ...entered };
  const names = Object.keys(values) as (keyof Values)[];
  const changes = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isSame(value, first[name as keyof Values])),
  ) as Partial<Values>;
  const body = options.body(values, changes);

  function ownErrors(loaded: z.ZodType | undefined): Errors<Values> {
    const whole =
      refine === undefined ? loaded : loaded?.superRefine((given, context) => refine(given as BodyOf<R>, context));
    const issues = whole?.safeParse(body).error?.issues ?? [];
    const problems = issues.map(({ path, message }) => ({ path: path.map(String), message }));
    return byField(names, problems, says);
  }

  const rejected =
    error === null ? [] : problemOf(error).fields.map((one) => ({ ...one, path: one.path.split(/[.[\]]+/) }));
  const errors = { ...byField(names, rejected), ...(isTried ? ownErrors(schema) : {}) };
  const isAtFields = rejected.length > 0 && rejected.every(({ path }) => fieldOf(names, path) !== undefined);
  function set(changed: Partial<Values>): void {
    setEntered((before) => ({ ...before, ...changed }));
    // The error of the API concerned the values before.
    if (error !== null) sending.reset();
  }
  const setOne = <Name extends keyof Values>(name: Name, value: unknown) =>
    set({ [name]: value } as unknown as Partial<Values>);

  return {
    values,
    isChanged: hasKeys(changes),
    isPending: sending.isPending,
    error,
    problem: isAtFields ? null : error,
    set,
    reset() {
      setEntered({});
      setTried(false);
      sending.reset();
    },
    submit() {
      setTried(true);
      sending.submit();
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

/** A request after which all visible queries are polled again. */
function useSending<Answer>({ send, toast, onDone }: Sending<Answer>) {
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: send,
    // Not awaited: the page shows the answer, such as a secret, at once.
    onSettled: (_, failure) => (failure === INVALID ? undefined : void queries.invalidateQueries()),
    onSuccess(answer) {
      if (toast !== undefined) showToast(toast);
      onDone?.(answer);
    },
  });
  return { isPending, error, reset, submit: () => (isPending ? undefined : mutate()) };
}

/** A form without fields, for a confirmation. */
export function useConfirmation<Answer>(options: Sending<Answer>): Submittable {
  const { isPending, error, submit } = useSending(options);
  return { isPending, problem: error, submit };
}

const hasKeys = (object: object) => Object.keys(object).length > 0;

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
    // On a page; dialogs have their own width.
    <form className="grid gap-4 [section>&]:max-w-130" onSubmit={onSubmit} noValidate>
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

/** The button that sends a form on a page. */
export function SubmitAction(button: Pick<ComponentProps<typeof Button>, 'disabled' | 'icon' | 'children'>) {
  return (
    <div>
      <Button type="submit" look="primary" {...button} />
    </div>
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
