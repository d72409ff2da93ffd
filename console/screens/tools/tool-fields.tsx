/** The choice of a tool and its arguments as a part of another form, such as that of a schedule. */
import commandTexts from 'messages:commands';
import type * as z from 'zod';
import type { Tool } from '../../../shared/tools/list.ts';
import { SelectField } from '../../ui/field.tsx';
import { Options } from '../../ui/options.tsx';
import { checkForm, fieldWith, filledValues, formOf, initialValues, type ToolForm } from './form-fields.ts';
import { ToolField } from './tool-field.tsx';
import { errorOf } from './tool-texts.ts';

/** Keeps the fields of a tool apart from those of the form around them. */
type ArgumentName = `argument ${string}`;
export type ToolValues = { tool: Tool } & Record<ArgumentName, string>;

const argument = (field: string): ArgumentName => `argument ${field}`;

interface Props {
  label: string;
  /** Empty for many sites: a target is then no device of one of them. */
  site: string;
  tools: readonly Tool[];
  tool: Tool;
  fieldOf: (name: 'tool' | ArgumentName) => {
    value: string;
    error: string | undefined;
    onChange: (event: { target: { value: string } }) => void;
  };
}

export function ToolFields({ label, site, tools, tool, fieldOf }: Props) {
  const form = formFor(tool);
  return (
    <>
      <SelectField label={label} {...fieldOf('tool')}>
        <Options of={tools.map((name) => [name, commandTexts.tools[name]])} />
      </SelectField>
      {form.fields.map((one) => {
        const { value, error, onChange } = fieldOf(argument(one.name));
        const field = site === '' && one.kind === 'target' ? ({ ...one, kind: 'text' } as const) : one;
        return (
          <ToolField
            key={`${tool} ${field.name}`}
            {...{ site, form, field, value }}
            error={error === undefined ? undefined : errorOf(form, field, value, error)}
            onChange={(next) => onChange({ target: { value: next } })}
          />
        );
      })}
    </>
  );
}

export function formFor(tool: Tool): ToolForm {
  const form = formOf(tool);
  if (form === null) throw new Error(`no tool is called ${tool}`);
  return form;
}

/** @param query fills the fields in; null for their defaults */
export function firstArguments(tool: Tool, query: URLSearchParams | null): Record<ArgumentName, string> {
  const form = formFor(tool);
  const values = query === null ? initialValues(form) : filledValues(form, query);
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [argument(field), value]));
}

/** For the body: without empty fields; invalid ones as they are, for the schema to reject. */
export function argumentsOf(values: ToolValues): Record<string, string | boolean> {
  const form = formFor(values.tool);
  const given = Object.fromEntries(form.fields.map(({ name }) => [name, values[argument(name)]?.trim() ?? '']));
  const entries = Object.entries(checkForm(form, given).body ?? given).filter(([, value]) => value !== '');
  return Object.fromEntries(entries) as Record<string, string | boolean>;
}

/** Adds to the issues of a body those of its arguments, by their fields. */
export function refineArguments(body: { tool: Tool; arguments?: object | undefined }, context: z.RefinementCtx): void {
  const form = formFor(body.tool);
  const given = Object.entries(body.arguments ?? {}).map(([name, value]) => [
    fieldWith(form.fields, name),
    String(value),
  ]);
  for (const [field, message] of Object.entries(checkForm(form, Object.fromEntries(given)).errors ?? {})) {
    context.addIssue({ code: 'custom', path: [argument(field)], message });
  }
}
