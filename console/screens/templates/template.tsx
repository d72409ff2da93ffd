/** One template: its parts, and the sites that have them. */
import checkTexts from 'messages:check';
import commandTexts from 'messages:commands';
import texts from 'messages:templates';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type SETTING_PATHS, valuesOf } from '../../../shared/api/template-settings.ts';
import type { Template, TemplateSites } from '../../../shared/api/templates.ts';
import { type AnswerOf, ask, etagOf } from '../../api/client.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { lazyPart } from '../../shell/lazy-screen.ts';
import { ActionButtons } from '../../ui/action.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { KEYS } from '../../ui/keys.ts';
import { Page } from '../../ui/page.tsx';
import { Section, Sections } from '../../ui/section.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { TagList } from '../../ui/tags-field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { serviceName, serviceOf } from '../notifications/services.tsx';
import { TemplateForm } from './template-form.tsx';

const AddNotification = lazyPart(async () => ({
  default: (await import('../notifications/notification-form.tsx')).AddNotification,
}));
const SecretDialog = lazyPart(async () => ({
  default: (await import('../notifications/notification-actions.tsx')).SecretDialog,
}));

export default function TemplateScreen({ id }: { id: string }) {
  const template = useAnswer('GET /templates/{template}', { params: { template: id } });
  const isGone = template.error !== null && ['not_found', 'validation_failed'].includes(problemOf(template.error).code);
  if (template.data !== undefined && !isGone) return <OneTemplate template={template.data} />;
  return (
    <Page title={id}>
      {isGone ? (
        <Empty title={texts.gone}>
          <p>{texts.goneWhy}</p>
          <LinkButton to="/admin/templates">{texts.toList}</LinkButton>
        </Empty>
      ) : (
        <Answered of={template}>{() => null}</Answered>
      )}
    </Page>
  );
}

function OneTemplate({ template }: { template: AnswerOf<'GET /templates/{template}'> }) {
  const { name, tags, settings, schedules, checks, hooks, sites } = template;
  const [secret, showSecret] = useState<string | null>(null);
  const [, navigate] = useLocation();
  const changing = (close: () => void) => <TemplateForm template={template} etag={etagOf(template)} onClose={close} />;
  const adding = (close: () => void) => (
    <AddNotification
      template={{ ...template, etag: etagOf(template) }}
      onAdded={(made) => {
        close();
        showSecret(made);
      }}
      onClose={close}
    />
  );
  const removal = (close: () => void) => (
    <ConfirmDialog
      title={texts.removeTitle({ name })}
      submit={texts.removeSubmit}
      send={() => ask('DELETE /templates/{template}', { params: { template: name } })}
      onDone={({ isComplete }) => {
        showToast(isComplete ? texts.removed({ name }) : `${texts.removed({ name })} ${texts.partly}`);
        navigate('/admin/templates', { replace: true });
      }}
      onClose={close}
    >
      <p>{texts.removeWhat}</p>
    </ConfirmDialog>
  );
  const listed = (facts: readonly Fact[]) =>
    facts.length === 0 ? <p className="text-muted">{texts.noneOfThese}</p> : <Facts facts={facts} />;
  return (
    <Page
      title={name}
      actions={
        <ActionButtons
          actions={[
            { label: texts.change, keys: KEYS.edit, dialog: changing },
            { label: texts.remove, dialog: removal },
          ]}
        />
      }
    >
      <Sections>
        <Section title={texts.sites} hint={texts.sitesWhat}>
          <Sites sites={sites} />
        </Section>
        <Section title={texts.tags} hint={texts.tagsWhat}>
          <TagList tags={tags} />
        </Section>
        <Section title={texts.settings} hint={texts.settingsWhat}>
          {listed(settingsInWords(settings))}
        </Section>
        <Section title={texts.schedules} hint="">
          {listed(schedules.map((one) => [one.name, commandTexts.tools[one.tool]]))}
        </Section>
        <Section title={texts.checks} hint="">
          {listed(checks.map((one) => [one.label, aboutOf(one)]))}
        </Section>
        <Section
          title={texts.hooks}
          hint={texts.hooksWhat}
          action={<ActionButtons actions={[{ label: texts.addHook, dialog: adding }]} />}
        >
          {listed(hooks.map((one) => [one.name, `${serviceName(serviceOf(one.format))}, ${one.url}`]))}
        </Section>
      </Sections>
      {secret === null ? null : <SecretDialog secret={secret} onClose={() => showSecret(null)} />}
    </Page>
  );
}

function aboutOf({ kind, host, url, name, toSite }: Template['checks'][number]): string {
  return [checkTexts.kinds[kind], host ?? url ?? name ?? toSite ?? ''].filter((part) => part !== '').join(' · ');
}

type Differing = TemplateSites['differing'][number];
type DifferingLine = Differing['settings'][number] & { at: string };

function Sites({ sites: { count, made, others, differing } }: { sites: TemplateSites }) {
  const { nameOf } = useKnownSites();
  const link = (site: string) => (
    <Link href={`/sites/${site}/settings`} data-foreign>
      {nameOf(site)}
    </Link>
  );
  const problems: Column<TemplateSites['others'][number]>[] = [
    { heading: texts.site, cell: ({ site }) => link(site) },
    {
      heading: texts.problem,
      cell: ({ problem }) =>
        problem === null ? <span className="text-muted">{texts.pending}</span> : <span data-foreign>{problem}</span>,
    },
  ];
  const differences: Column<DifferingLine>[] = [
    { heading: texts.site, cell: ({ at }) => link(at) },
    { heading: texts.setting, cell: ({ setting }) => texts.settingNames[setting] },
    { heading: texts.there, cell: ({ setting, site }) => valueText(setting, site) },
    { heading: texts.here, cell: ({ setting, template }) => valueText(setting, template) },
  ];
  const lines = differing.flatMap(({ site, settings }) => settings.map((one) => ({ ...one, at: site })));
  return (
    <>
      {count === 0 ? (
        <p>{texts.noSites}</p>
      ) : (
        <p>
          {made === count ? texts.allMade({ count }) : <Status tone="warn">{texts.someMade({ made, count })}</Status>}
        </p>
      )}
      {others.length === 0 ? null : (
        <>
          <h3>{texts.others}</h3>
          <Table label={texts.others} columns={problems} rows={others} keyOf={({ site }) => site} />
        </>
      )}
      {lines.length === 0 ? null : (
        <>
          <h3>{texts.differing}</h3>
          <p className="text-muted">{texts.differingWhat}</p>
          <Table
            label={texts.differing}
            columns={differences}
            rows={lines}
            keyOf={({ at, setting }) => `${at} ${setting}`}
          />
        </>
      )}
    </>
  );
}

type SettingPath = (typeof SETTING_PATHS)[number];

function settingsInWords(settings: Template['settings']): readonly Fact[] {
  const values = Object.entries(valuesOf(settings)) as [SettingPath, unknown][];
  return values.map(([path, value]) => [texts.settingNames[path], valueText(path, value)]);
}

const UPDATE_MODES: Readonly<Record<string, string>> = texts.updateModes;

function valueText(path: SettingPath, value: unknown): string {
  if (value === null || value === undefined) return texts.unset;
  if (typeof value === 'boolean') return value ? texts.on : texts.off;
  if (path === 'updates.mode') return UPDATE_MODES[String(value)] ?? String(value);
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, part]) => `${name} ${Array.isArray(part) ? part.join(', ') : String(part)}`)
      .join(' · ');
  }
  return String(value);
}
