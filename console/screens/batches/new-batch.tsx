/** A tool at many sites: which one, on what, where, and within which limits. */
import texts from 'messages:batches';
import commandTexts from 'messages:commands';
import siteTexts from 'messages:siteChoice';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { batches } from '../../../shared/api/batches.ts';
import type { Tool } from '../../../shared/tools/list.ts';
import { ask } from '../../api/client.ts';
import { useRights } from '../../api/rights.ts';
import type { Selection } from '../../api/selection.ts';
import { TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormBox, useForm } from '../../ui/form.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Card, Page } from '../../ui/page.tsx';
import { SitesField } from '../../ui/sites-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { checkForm, filledValues, formOf, initialValues, type ToolForm } from '../tools/form-fields.ts';
import { ToolField } from '../tools/tool-field.tsx';
import { errorOf } from '../tools/tool-texts.ts';
import styles from './batches.module.css';

type MaxFailures = keyof typeof texts.maxFailuresOf;

interface Fixed {
  tool: Tool;
  sites: Selection;
  atOnce: string;
  maxFailures: MaxFailures;
}
/** The fields of the tool have a name of their own beside those of the batch. */
type ArgumentName = `argument ${string}`;
type Values = Fixed & Record<ArgumentName, string>;

const argument = (field: string): ArgumentName => `argument ${field}`;

/** A device is one of a single site. */
const TOOLS = TOOLS_IN_ORDER.filter((tool) => tool !== 'wakeonlan');
const FIRST: Tool = 'nslookup';

export default function NewBatch() {
  const rights = useRights();
  const [query] = useHashQuery();
  // Empty: the token is not known yet.
  if (rights.tokenId === '') return null;
  return (
    <Page title={texts.new}>
      {rights.may('nettools:run') ? (
        <div className="max-w-160">
          <Card>
            <p className="text-muted">{texts.intro}</p>
            <BatchForm key={query.toString()} query={query} />
          </Card>
        </div>
      ) : (
        <Empty title={texts.needs} />
      )}
    </Page>
  );
}

function BatchForm({ query }: { query: URLSearchParams }) {
  const [, navigate] = useLocation();
  const [first] = useState(() => firstOf(query));
  const form = useForm({
    first: (entered: Partial<Values>) => ({ ...first, ...argumentsFor(entered.tool ?? first.tool, query) }) as Values,
    schema: checkedBody,
    says: { sites: siteTexts.missing, atOnce: texts.atOnceError },
    body: bodyOf,
    send: (body) => ask('POST /batches', { body }),
    onDone: ({ id }) => navigate(`/batches/${id}`, { replace: true }),
  });
  const { tool, sites } = form.values;
  const toolForm = formFor(tool);
  return (
    <FormBox
      form={form}
      actions={
        <div>
          <Button type="submit" look="primary" disabled={form.isPending}>
            <Play aria-hidden="true" />
            {texts.start}
          </Button>
        </div>
      }
    >
      <SelectField label={texts.tool} {...form.text('tool')}>
        {TOOLS.map((name) => (
          <option key={name} value={name}>
            {commandTexts.tools[name]}
          </option>
        ))}
      </SelectField>
      {toolForm.fields.map((field) => {
        const { value, error, onChange } = form.text(argument(field.name));
        // What is named is not one device of one site.
        const plain = field.kind === 'target' ? ({ ...field, kind: 'text' } as const) : field;
        return (
          <ToolField
            key={`${tool} ${field.name}`}
            {...{ site: '', field: plain, value }}
            form={toolForm}
            error={error === undefined ? undefined : errorOf(toolForm, plain, value, error)}
            onChange={(next) => onChange({ target: { value: next } })}
          />
        );
      })}
      <SitesField
        label={texts.sites}
        value={sites}
        most="*"
        isForNow
        error={form.errorOf('sites')}
        onChange={(chosen) => form.set({ sites: chosen } as Partial<Values>)}
      />
      <details className={styles.fold}>
        <summary>{texts.limits}</summary>
        <div className="grid grid-cols-[repeat(auto-fit,minmax(200px,1fr))] gap-3">
          <TextField label={texts.atOnce} hint={texts.atOnceHint} inputMode="numeric" {...form.text('atOnce')} />
          <SelectField label={texts.maxFailures} {...form.text('maxFailures')}>
            {Object.entries(texts.maxFailuresOf).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </SelectField>
        </div>
      </details>
    </FormBox>
  );
}

function firstOf(query: URLSearchParams): Fixed {
  const tool = TOOLS.find((name) => name === query.get('tool')) ?? FIRST;
  const sites = query.get('sites') ?? '';
  return {
    tool,
    sites: sites === '*' ? '*' : sites.split(',').filter((ref) => ref !== ''),
    atOnce: '50',
    maxFailures: 'never',
  };
}

/** What the address fills in is for its own tool alone. */
function argumentsFor(tool: Tool, query: URLSearchParams): Record<ArgumentName, string> {
  const form = formFor(tool);
  const values = query.get('tool') === tool ? filledValues(form, query) : initialValues(form);
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [argument(field), value]));
}

function bodyOf(values: Values) {
  const { tool, sites, atOnce, maxFailures } = values;
  return {
    tool,
    arguments: argumentsOf(formFor(tool), values),
    sites: sites === '*' ? sites : [...sites],
    atOnce: Number(atOnce.trim() === '' ? Number.NaN : atOnce),
    ...(maxFailures === 'never' ? {} : { maxFailures: maxFailures.endsWith('%') ? maxFailures : Number(maxFailures) }),
  };
}

/** As the API takes them; what cannot be sent goes as it is, without what was left empty, and is refused. */
function argumentsOf(form: ToolForm, values: Values): Record<string, string | boolean> {
  const given = Object.fromEntries(form.fields.map(({ name }) => [name, values[argument(name)]?.trim() ?? '']));
  const { body } = checkForm(form, given);
  return Object.fromEntries(Object.entries(body ?? given).filter(([, value]) => value !== '')) as Record<
    string,
    string | boolean
  >;
}

/** Besides what the API says of a batch: what its tool says of the arguments, at their fields. */
const checkedBody = batches.startBatch.body.superRefine((body, context) => {
  const form = formFor(body.tool);
  const { errors } = checkForm(
    form,
    Object.fromEntries(Object.entries(body.arguments).map(([k, v]) => [k, String(v)])),
  );
  for (const [field, message] of Object.entries(errors ?? {})) {
    context.addIssue({ code: 'custom', path: [argument(field)], message });
  }
});

function formFor(tool: Tool): ToolForm {
  const form = formOf(tool);
  if (form === null) throw new Error(`no tool is called ${tool}`);
  return form;
}
