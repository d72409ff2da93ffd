/** What a new schedule runs, and when. */
import commandTexts from 'messages:commands';
import texts from 'messages:schedules';
import { schedules } from '../../../shared/api/schedules.ts';
import type { Tool } from '../../../shared/tools/list.ts';
import { ask } from '../../api/client.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Form, FormDialog, useForm } from '../../ui/form.tsx';
import { AgentField } from '../tools/agents.tsx';
import { checkForm, filledValues, formOf, initialValues, type ToolForm } from '../tools/form-fields.ts';
import { ToolField } from '../tools/tool-field.tsx';
import { errorOf } from '../tools/tool-texts.ts';
import { PRESETS, type Preset, timingOf } from './presets.ts';

interface Fixed {
  name: string;
  tool: Tool;
  preset: Preset;
  cron: string;
  agent: string;
}
/** The fields of the tool have a name of their own beside those of the schedule. */
type ArgumentName = `argument ${string}`;
type Values = Fixed & Record<ArgumentName, string>;

const argument = (field: string): ArgumentName => `argument ${field}`;

interface Props {
  site: string;
  /** What is filled in: the tool as `add`, and its arguments. */
  filled: URLSearchParams;
  onClose: () => void;
}

export function AddSchedule({ site, filled, onClose }: Props) {
  const wanted = TOOLS_IN_ORDER.find((name) => name === filled.get('add')) ?? 'nmap';
  const form = useForm({
    first: ({ tool = wanted, preset = 'nightly' }: Partial<Values>) =>
      firstOf(tool, preset, tool === wanted ? filled : null),
    schema: schemaWithArguments,
    body: bodyOf,
    send: (body) => ask('POST /schedules', { site, body }),
    toast: texts.added,
    onDone: onClose,
  });
  const { tool, preset } = form.values;
  const toolForm = formFor(tool);
  return (
    <FormDialog form={form} title={texts.add} submit={texts.add} onClose={onClose}>
      <SelectField label={texts.tool} {...form.text('tool')}>
        {TOOLS_IN_ORDER.map((name) => (
          <option key={name} value={name}>
            {commandTexts.tools[name]}
          </option>
        ))}
      </SelectField>
      {toolForm.fields.map((field) => {
        const { value, error, onChange } = form.text(argument(field.name));
        return (
          <ToolField
            key={`${tool} ${field.name}`}
            {...{ site, field, value }}
            form={toolForm}
            error={error === undefined ? undefined : errorOf(toolForm, field, value, error)}
            onChange={(next) => onChange({ target: { value: next } })}
          />
        );
      })}
      <When site={site} form={form} />
      <AgentField
        site={site}
        value={form.values.agent}
        hasTarget={toolForm.fields.some(({ kind }) => kind === 'target' || kind === 'device')}
        onChange={(agent) => form.set({ agent } as Partial<Values>)}
      />
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        placeholder={nameFor(tool, preset)}
        maxLength={100}
        {...form.text('name')}
      />
    </FormDialog>
  );
}

function When({ site, form }: { site: string; form: Form<Values> }) {
  const { data } = useAnswer('GET /sites/{site}', { params: { site } }, { everyMs: POLL_MS.calm });
  const hint = texts.timeZone({ zone: data?.timeZone ?? 'UTC' });
  const { preset } = form.values;
  const isByClock = 'cron' in timingOf(preset, '');
  return (
    <>
      <SelectField label={texts.when} hint={isByClock ? hint : undefined} {...form.text('preset')}>
        {PRESETS.map((one) => (
          <option key={one} value={one}>
            {texts.presets[one]}
          </option>
        ))}
      </SelectField>
      {preset === 'cron' ? <TextField label={texts.cron} hint={texts.cronHint} {...form.text('cron')} /> : null}
    </>
  );
}

function firstOf(tool: Tool, preset: Preset, filled: URLSearchParams | null): Values {
  const fixed: Fixed = { name: '', tool, preset, cron: '', agent: '' };
  const form = formFor(tool);
  const initial = filled === null ? initialValues(form) : filledValues(form, filled);
  const fields = Object.entries(initial).map(([field, value]) => [argument(field), value]);
  return { ...fixed, ...(Object.fromEntries(fields) as Record<ArgumentName, string>) };
}

function bodyOf(values: Values) {
  const { name, tool, preset, cron, agent } = values;
  return {
    name: name.trim() === '' ? nameFor(tool, preset) : name.trim(),
    tool,
    arguments: argumentsOf(formFor(tool), values),
    ...timingOf(preset, cron),
    ...(agent === '' ? {} : { agent }),
  };
}

/** As the API takes them; what cannot be sent goes as it is, without what was left empty, and is refused. */
function argumentsOf(form: ToolForm, values: Values): Record<string, string | boolean> {
  const texts = Object.fromEntries(form.fields.map(({ name }) => [name, values[argument(name)]?.trim() ?? '']));
  const { body } = checkForm(form, texts);
  const given = body === null ? Object.entries(texts) : Object.entries(body);
  return Object.fromEntries(given.filter(([, value]) => value !== '')) as Record<string, string | boolean>;
}

/** Besides what the API says of a schedule: what its tool says of the arguments, at their fields. */
const schemaWithArguments = schedules.addSchedule.body.superRefine((body, context) => {
  const form = formFor(body.tool);
  const given = Object.entries(body.arguments).map(([name, value]) => [name, String(value)]);
  const { errors } = checkForm(form, filledValues(form, new URLSearchParams(given)));
  for (const [field, message] of Object.entries(errors ?? {})) {
    context.addIssue({ code: 'custom', path: [argument(field)], message });
  }
});

function formFor(tool: Tool): ToolForm {
  const form = formOf(tool);
  if (form === null) throw new Error(`no tool is called ${tool}`);
  return form;
}

function nameFor(tool: Tool, preset: Preset): string {
  const what = commandTexts.tools[tool];
  return preset === 'cron' ? what : `${what}: ${texts.presets[preset]}`;
}
