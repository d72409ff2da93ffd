/** Forms that change a site in place, and what others see in their place. */
import texts from 'messages:siteSettings';
import { type ReactNode, useMemo } from 'react';
import type { DiscoverySettings } from '../../../shared/agent/discovery.ts';
import type { Updates } from '../../../shared/api/records.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Facts } from '../../ui/facts.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { type BodyOf, type Form, FormBox, SaveActions, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { TagsField } from '../../ui/tags-field.tsx';

interface SiteOptions<Values> {
  first: Values;
  body: (values: Values, changes: Partial<Values>) => BodyOf<'PATCH /sites/{site}'>;
  says?: Partial<Record<keyof Values, string>>;
}

function useSiteForm<Values extends object>(site: string, options: SiteOptions<Values>): Form<Values> {
  const form: Form<Values> = useForm({
    ...options,
    route: 'PATCH /sites/{site}',
    question: { params: { site } },
    toast: texts.saved,
    onDone: () => form.reset(),
  });
  return form;
}

function SiteForm<Values>({ form, children }: { form: Form<Values>; children: ReactNode }) {
  return (
    <FormBox form={form} actions={<SaveActions form={form} />}>
      {children}
    </FormBox>
  );
}

export function NameForm({ site, name }: { site: string; name: string }) {
  const form = useSiteForm(site, {
    first: { name },
    says: { name: texts.nameMissing },
    body: (values) => ({ name: values.name.trim() }),
  });
  return (
    <SiteForm form={form}>
      <TextField label={texts.name} isLabelHidden maxLength={100} {...form.text('name')} />
    </SiteForm>
  );
}

export function TagsForm({ site, tags }: { site: string; tags: readonly string[] }) {
  const form = useSiteForm(site, { first: { tags }, body: (values) => ({ tags: [...values.tags] }) });
  return (
    <SiteForm form={form}>
      <TagsField label={texts.tags} isLabelHidden {...form.list('tags')} />
    </SiteForm>
  );
}

/** How the agents of a site are updated. */
export function UpdatesForm({ site, updates: { mode, window } }: { site: string; updates: Updates }) {
  const form = useSiteForm(site, {
    first: { mode, from: window?.from ?? '', to: window?.to ?? '' },
    says: { from: texts.windowError, to: texts.windowError },
    body: (values) => {
      const [from, to] = [values.from.trim(), values.to.trim()];
      return {
        updates: { mode: values.mode, window: from === '' && to === '' ? null : { from, to } },
      };
    },
  });
  return (
    <SiteForm form={form}>
      <SelectField label={texts.updateMode} {...form.text('mode')}>
        <Options of={texts.updateModes} />
      </SelectField>
      {form.values.mode === 'auto' ? (
        <>
          <TextField label={texts.from} hint={texts.windowHint} maxLength={5} {...form.text('from')} />
          <TextField label={texts.to} maxLength={5} {...form.text('to')} />
        </>
      ) : null}
    </SiteForm>
  );
}

/** For tokens that may not change them. */
export function UpdatesFacts({ updates: { mode, window } }: { updates: Updates }) {
  return (
    <Facts
      facts={[
        [texts.updateMode, texts.updateModes[mode]],
        [texts.from, window?.from ?? ''],
        [texts.to, window?.to ?? ''],
      ]}
    />
  );
}

const MAX_SUGGESTED = 50;

interface Place {
  timeZone: string;
  reachableAt: string | null;
}

/** The time zone of the schedules of a site, and its address for other sites. */
export function PlaceForm({ site, timeZone, reachableAt }: Place & { site: string }) {
  const form = useSiteForm(site, {
    first: { timeZone, reachableAt: reachableAt ?? '' },
    says: { timeZone: texts.timeZoneError },
    body: (values, changes) => ({
      ...(changes.timeZone === undefined ? {} : { timeZone: values.timeZone.trim() }),
      ...(changes.reachableAt === undefined
        ? {}
        : { reachableAt: values.reachableAt.trim() === '' ? null : values.reachableAt.trim() }),
    }),
  });
  return (
    <SiteForm form={form}>
      <ZoneField
        {...form.text('timeZone')}
        isChanged={form.values.timeZone !== timeZone}
        onChange={(zone) => form.set({ timeZone: zone })}
      />
      <TextField label={texts.reachableAt} hint={texts.reachableAtHint} maxLength={253} {...form.text('reachableAt')} />
    </SiteForm>
  );
}

interface ZoneProps {
  value: string;
  error: string | undefined;
  /** Otherwise it offers all zones. */
  isChanged: boolean;
  onChange: (zone: string) => void;
}

function ZoneField({ isChanged, ...field }: ZoneProps) {
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')], []);
  const typed = isChanged ? field.value.trim().toLowerCase().replaceAll(' ', '_') : '';
  const suggestions = zones.filter((zone) => zone.toLowerCase().includes(typed)).slice(0, MAX_SUGGESTED);
  return (
    <Combobox
      label={texts.timeZone}
      hint={texts.timeZoneHint}
      suggestions={suggestions.map((value) => ({ value }))}
      {...field}
    />
  );
}

/** For tokens that may not change them. */
export function PlaceFacts({ timeZone, reachableAt }: Place) {
  return (
    <Facts
      facts={[
        [texts.timeZone, timeZone],
        [texts.reachableAt, reachableAt ?? ''],
      ]}
    />
  );
}

/** Whether and where the agents of a site search for devices. */
export function DiscoveryForm({ site, discovery }: { site: string; discovery: DiscoverySettings }) {
  const { enabled, networks, intervalSeconds } = discovery;
  const { recognize, archiveRandomAfterDays, acceptParents } = ofRecognition(discovery);
  const form = useSiteForm(site, {
    first: {
      enabled,
      mode: networks === 'auto' ? 'auto' : 'listed',
      /** One a line. */
      networks: networks === 'auto' ? '' : networks.join('\n'),
      intervalSeconds: String(intervalSeconds),
      recognize,
      archiveRandomAfterDays: String(archiveRandomAfterDays),
      acceptParents,
    },
    says: {
      networks: texts.listError,
      intervalSeconds: texts.intervalHint,
      archiveRandomAfterDays: texts.archiveRandomError,
    },
    body: (values, changes) => ({
      discovery: {
        enabled: values.enabled,
        networks:
          values.mode === 'auto'
            ? ('auto' as const)
            : values.networks.split(/[\s,;]+/).filter((network) => network !== ''),
        intervalSeconds: Number(values.intervalSeconds),
        recognize: changes.recognize,
        acceptParents: changes.acceptParents,
        archiveRandomAfterDays:
          changes.archiveRandomAfterDays === undefined ? undefined : Number(changes.archiveRandomAfterDays),
      },
    }),
  });
  return (
    <SiteForm form={form}>
      <CheckField label={texts.enabled} {...form.check('enabled')} />
      <SelectField label={texts.networks} {...form.text('mode')}>
        <option value="auto">{texts.auto}</option>
        <option value="listed">{texts.listed}</option>
      </SelectField>
      {form.values.mode === 'auto' ? null : (
        <TextArea label={texts.list} hint={texts.listHint} spellCheck={false} {...form.text('networks')} />
      )}
      <TextField
        label={texts.interval}
        hint={texts.intervalHint}
        inputMode="numeric"
        {...form.text('intervalSeconds')}
      />
      <CheckField label={texts.recognize} hint={texts.recognizeHint} {...form.check('recognize')} />
      <CheckField label={texts.acceptParents} hint={texts.acceptParentsHint} {...form.check('acceptParents')} />
      <TextField
        label={texts.archiveRandom}
        hint={texts.archiveRandomHint}
        inputMode="numeric"
        {...form.text('archiveRandomAfterDays')}
      />
    </SiteForm>
  );
}

/** For tokens that may not change them. */
export function DiscoveryFacts({ discovery }: { discovery: DiscoverySettings }) {
  const { enabled, networks, intervalSeconds } = discovery;
  const { recognize, archiveRandomAfterDays, acceptParents } = ofRecognition(discovery);
  return (
    <Facts
      facts={[
        [texts.enabled, enabled ? texts.on : texts.off],
        [texts.networks, networks === 'auto' ? texts.auto : networks.join(', ')],
        [texts.intervalFact, texts.seconds({ count: intervalSeconds })],
        [texts.recognize, recognize ? texts.on : texts.off],
        [texts.acceptParents, acceptParents ? texts.on : texts.off],
        [texts.archiveRandomFact, texts.days({ count: archiveRandomAfterDays })],
      ]}
    />
  );
}

/** With the defaults of the API. */
function ofRecognition(discovery: DiscoverySettings) {
  const { recognize = true, archiveRandomAfterDays = 7, acceptParents = false } = discovery;
  return { recognize, archiveRandomAfterDays, acceptParents };
}
