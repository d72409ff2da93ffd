/** Adds a schedule: a tool, and when it runs. */
import commandTexts from 'messages:commands';
import texts from 'messages:schedules';
import type { Tool } from '../../../shared/tools/list.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Form, FormDialog, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { AgentField } from '../tools/agents.tsx';
import {
  argumentsOf,
  firstArguments,
  formFor,
  refineArguments,
  ToolFields,
  type ToolValues,
} from '../tools/tool-fields.tsx';
import { PRESETS, type Preset, timingOf } from './presets.ts';

interface Fixed {
  name: string;
  tool: Tool;
  preset: Preset;
  cron: string;
  agent: string;
}
type Values = Fixed & ToolValues;

interface Props {
  site: string;
  /** Fills the form in: the tool as `add`, and its arguments. */
  filled: URLSearchParams;
  onClose: () => void;
}

export function AddSchedule({ site, filled, onClose }: Props) {
  const wanted = TOOLS_IN_ORDER.find((name) => name === filled.get('add')) ?? 'nmap';
  const form = useForm({
    route: 'POST /schedules',
    question: { site },
    first({ tool = wanted, preset = 'nightly' }: Partial<Values>) {
      const fixed: Fixed = { name: '', tool, preset, cron: '', agent: '' };
      return { ...fixed, ...firstArguments(tool, tool === wanted ? filled : null) } as Values;
    },
    body: bodyOf,
    refine: refineArguments,
    toast: texts.added,
    onDone: onClose,
  });
  const { tool, preset } = form.values;
  return (
    <FormDialog form={form} title={texts.add} submit={texts.add} onClose={onClose}>
      <ToolFields label={texts.tool} tools={TOOLS_IN_ORDER} {...{ site, tool }} fieldOf={(name) => form.text(name)} />
      <When site={site} form={form} />
      <AgentField
        site={site}
        value={form.values.agent}
        hasTarget={formFor(tool).fields.some(({ kind }) => kind === 'target' || kind === 'device')}
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
        <Options of={PRESETS.map((one) => [one, texts.presets[one]])} />
      </SelectField>
      {preset === 'cron' ? <TextField label={texts.cron} hint={texts.cronHint} {...form.text('cron')} /> : null}
    </>
  );
}

function bodyOf(values: Values) {
  const { name, tool, preset, cron, agent } = values;
  return {
    name: name.trim() === '' ? nameFor(tool, preset) : name.trim(),
    tool,
    arguments: argumentsOf(values),
    ...timingOf(preset, cron),
    ...(agent === '' ? {} : { agent }),
  };
}

function nameFor(tool: Tool, preset: Preset): string {
  const what = commandTexts.tools[tool];
  return preset === 'cron' ? what : `${what}: ${texts.presets[preset]}`;
}
