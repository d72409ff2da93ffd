/** Whether and where the agents of a site search for devices. */
import texts from 'messages:siteSettings';
import type { DiscoverySettings } from '../../../shared/agent/discovery.ts';
import { Facts } from '../../ui/facts.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { SiteForm, useSiteForm } from './site-form.tsx';

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
