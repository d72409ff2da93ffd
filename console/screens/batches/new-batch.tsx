/** Starts a tool at many sites, within limits. */
import texts from 'messages:batches';
import siteTexts from 'messages:siteChoice';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Tool } from '../../../shared/tools/list.ts';
import type { Selection } from '../../api/selection.ts';
import { TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { Allowed } from '../../ui/allowed.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormBox, SubmitAction, useForm } from '../../ui/form.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Options } from '../../ui/options.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { SitesField } from '../../ui/sites-field.tsx';
import { argumentsOf, firstArguments, refineArguments, ToolFields, type ToolValues } from '../tools/tool-fields.tsx';
import styles from './batches.module.css';

type MaxFailures = keyof typeof texts.maxFailuresOf;

interface Fixed {
  tool: Tool;
  sites: Selection;
  atOnce: string;
  maxFailures: MaxFailures;
}
type Values = Fixed & ToolValues;

/** A device belongs to one site. */
const TOOLS = TOOLS_IN_ORDER.filter((tool) => tool !== 'wakeonlan');
const FIRST: Tool = 'nmap';

export default function NewBatch() {
  const [query] = useHashQuery();
  return (
    <Allowed scope="nettools:run" title={texts.new} needs={texts.needs}>
      <Page title={texts.new}>
        <div className="max-w-160">
          <Card>
            <p className="text-muted">{texts.intro}</p>
            <BatchForm key={query.toString()} query={query} />
          </Card>
        </div>
      </Page>
    </Allowed>
  );
}

function BatchForm({ query }: { query: URLSearchParams }) {
  const [, navigate] = useLocation();
  const [first] = useState(() => firstOf(query));
  const form = useForm({
    route: 'POST /batches',
    first({ tool: chosen = first.tool }: Partial<Values>) {
      // The address fills in its own tool alone.
      return { ...first, ...firstArguments(chosen, query.get('tool') === chosen ? query : null) } as Values;
    },
    says: { sites: siteTexts.missing, atOnce: texts.atOnceError },
    body: bodyOf,
    refine: refineArguments,
    onDone: ({ id }) => navigate(`/batches/${id}`, { replace: true }),
  });
  const { tool, sites } = form.values;
  return (
    <FormBox
      form={form}
      actions={
        <SubmitAction disabled={form.isPending} icon={<Play />}>
          {texts.start}
        </SubmitAction>
      }
    >
      <ToolFields label={texts.tool} site="" tools={TOOLS} tool={tool} fieldOf={(name) => form.text(name)} />
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
            <Options of={texts.maxFailuresOf} />
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

function bodyOf(values: Values) {
  const { tool, sites, atOnce, maxFailures } = values;
  return {
    tool,
    arguments: argumentsOf(values),
    sites: sites === '*' ? sites : [...sites],
    atOnce: Number(atOnce.trim() === '' ? Number.NaN : atOnce),
    ...(maxFailures === 'never' ? {} : { maxFailures: maxFailures.endsWith('%') ? maxFailures : Number(maxFailures) }),
  };
}
