/** The form of a template: its tags and settings, schedules and checks copied from a site, and its notifications. */
import texts from 'messages:templates';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Check } from '../../../shared/api/checks.ts';
import type { Schedule } from '../../../shared/api/schedules.ts';
import type { Template } from '../../../shared/api/templates.ts';
import { NAME } from '../../../shared/site-ref.ts';
import { UPDATE_MODES } from '../../../shared/words.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { requestQuery } from '../../commands/job-texts.ts';
import { CheckGroup, CheckList, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { checkForm, filledValues, formOf } from '../tools/form-fields.ts';

type Parts = Pick<Template, 'schedules' | 'checks' | 'hooks'>;
type Updates = '' | (typeof UPDATE_MODES)[number];

interface Values {
  name: string;
  tags: readonly string[];
  timeZone: string;
  discovery: '' | 'on' | 'off';
  updates: Updates;
  /** The offered parts to keep: `schedule <name>`, `check <label>`, `hook <name>`. */
  kept: readonly string[];
}

interface Props {
  /** Default: a new one. */
  template?: Template;
  etag?: string | undefined;
  /** Names of other templates. */
  taken?: readonly string[];
  onClose: () => void;
}

const NOTHING: Parts = { schedules: [], checks: [], hooks: [] };

export function TemplateForm({ template, etag, taken = [], onClose }: Props) {
  const [, navigate] = useLocation();
  const { sites } = useKnownSites();
  const [from, setFrom] = useState('');
  const [offered, setOffered] = useState<Parts>(template ?? NOTHING);
  const { settings = {} } = template ?? {};
  const form = useForm({
    route: 'PUT /templates/{template}',
    first: {
      name: template?.name ?? '',
      tags: template?.tags ?? [],
      timeZone: settings.timeZone ?? '',
      discovery: settings.discovery?.enabled === undefined ? '' : settings.discovery.enabled ? 'on' : 'off',
      updates: settings.updates?.mode ?? '',
      kept: namesOf(template ?? NOTHING),
    } as Values,
    says: { tags: texts.tagsMissing },
    body: ({ tags, timeZone, discovery, updates, kept }) => ({
      tags: [...tags],
      settings: withoutEmpty({
        ...settings,
        timeZone: timeZone.trim() === '' ? undefined : timeZone.trim(),
        discovery: withoutEmpty({ ...settings.discovery, enabled: discovery === '' ? undefined : discovery === 'on' }),
        updates: withoutEmpty({ ...settings.updates, mode: updates === '' ? undefined : updates }),
      }),
      schedules: offered.schedules.filter(({ name }) => kept.includes(`schedule ${name}`)),
      checks: offered.checks.filter(({ label }) => kept.includes(`check ${label}`)),
      // Their URLs are not whole, and the API keeps the stored ones.
      hooks: offered.hooks.filter((hook) => kept.includes(`hook ${hook.name}`)),
    }),
    send: (body): Promise<AnswerOf<'PUT /templates/{template}'>> =>
      ask('PUT /templates/{template}', {
        params: { template: form.values.name.trim() },
        body,
        ...(etag === undefined ? {} : { ifMatch: etag }),
      }),
    onDone: ({ name, sites: { made, count } }) => {
      showToast(made === count ? texts.saved({ name }) : `${texts.saved({ name })} ${texts.partly}`);
      onClose();
      navigate(`/admin/templates/${name}`);
    },
  });
  const { name, kept } = form.values;
  const isNew = template === undefined;
  const problem = name === '' ? null : nameProblem(name.trim(), taken);
  const all = namesOf(offered);

  async function take(site: string): Promise<void> {
    setFrom(site);
    if (site === '') return;
    try {
      const found = merged(offered, await partsOf(site));
      setOffered(found);
      form.set({ kept: [...kept, ...namesOf(found).filter((one) => !all.includes(one))] });
    } catch (error) {
      showProblem(error);
    }
  }

  return (
    <FormDialog
      form={form}
      title={isNew ? texts.make : `${texts.change}: ${template.name}`}
      submit={isNew ? texts.make : texts.save}
      isReady={name.trim() !== '' && problem === null}
      onClose={onClose}
    >
      {isNew ? (
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          autoCapitalize="none"
          maxLength={32}
          {...form.text('name')}
          error={problem}
        />
      ) : null}
      <TagsField label={texts.tags} hint={texts.tagsWhat} {...form.list('tags')} />
      <SelectField label={texts.settingNames['discovery.enabled']} {...form.text('discovery')}>
        <option value="">{texts.leave}</option>
        <option value="on">{texts.on}</option>
        <option value="off">{texts.off}</option>
      </SelectField>
      <SelectField label={texts.settingNames['updates.mode']} {...form.text('updates')}>
        <option value="">{texts.leave}</option>
        <Options of={UPDATE_MODES.map((mode) => [mode, texts.updateModes[mode]])} />
      </SelectField>
      <TextField label={texts.settingNames.timeZone} placeholder={texts.leave} {...form.text('timeZone')} />
      <SelectField
        label={texts.copy}
        hint={texts.copyHint}
        value={from}
        onChange={({ target }) => void take(target.value)}
      >
        <option value="">{texts.copyNone}</option>
        <Options of={sites.map(({ id, name: site }) => [id, site])} />
      </SelectField>
      {all.length === 0 ? null : (
        <CheckGroup label={texts.keep}>
          <CheckList
            options={all}
            {...form.list('kept')}
            labelOf={(one) => <span data-foreign>{one.slice(one.indexOf(' ') + 1)}</span>}
          />
        </CheckGroup>
      )}
    </FormDialog>
  );
}

function nameProblem(name: string, taken: readonly string[]): string | null {
  if (taken.includes(name)) return texts.taken;
  return NAME.test(name) ? null : texts.nameWrong;
}

function namesOf({ schedules, checks, hooks }: Parts): string[] {
  return [
    ...schedules.map(({ name }) => `schedule ${name}`),
    ...checks.map(({ label }) => `check ${label}`),
    ...hooks.map(({ name }) => `hook ${name}`),
  ];
}

/** Unique by name. */
function merged(before: Parts, more: Parts): Parts {
  const schedules = new Map([...more.schedules, ...before.schedules].map((one) => [one.name, one]));
  const checks = new Map([...more.checks, ...before.checks].map((one) => [one.label, one]));
  return { schedules: [...schedules.values()], checks: [...checks.values()], hooks: before.hooks };
}

/** The parts of a site that others can have: nothing about single devices or agents. */
async function partsOf(site: string): Promise<Parts> {
  const [{ schedules }, { checks }] = await Promise.all([
    ask('GET /schedules', { site }),
    ask('GET /checks', { site }),
  ]);
  return {
    // Those with an origin come from a template.
    schedules: schedules.flatMap((one) => {
      if (one.origin !== undefined) return [];
      const body = argumentsOf(one);
      return body === null ? [] : [declaredSchedule(one, body)];
    }),
    checks: checks.filter((one) => one.origin === undefined && one.device === undefined).map(declaredCheck),
    hooks: [],
  };
}

type Arguments = Template['schedules'][number]['arguments'];

/** The command as the body of a request has it. */
function argumentsOf(schedule: Schedule): Arguments | null {
  const form = formOf(schedule.tool);
  if (form === null) return null;
  return checkForm(form, filledValues(form, new URLSearchParams(requestQuery(schedule)))).body as Arguments | null;
}

function declaredSchedule(one: Schedule, body: Arguments): Template['schedules'][number] {
  const { name, tool, everySeconds, cron, window, jitterSeconds, startWithinSeconds, enabled } = one;
  const time = cron === null ? { everySeconds: everySeconds ?? undefined } : { cron };
  return { name, tool, arguments: body, ...time, window, jitterSeconds, startWithinSeconds, enabled };
}

function declaredCheck(one: Check): Template['checks'][number] {
  const { label, kind, host, url, name, toSite, everySeconds, enabled, ...others } = one;
  const { port } = others as { port?: number };
  return withoutEmpty({ label, kind, host, url, name, toSite, port, everySeconds, agents: 'auto' as const, enabled });
}

/** Without undefined values and empty objects. */
function withoutEmpty<T extends object>(object: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const isSaid = ([, value]: [string, unknown]) =>
    value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(object).filter(isSaid)) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}
