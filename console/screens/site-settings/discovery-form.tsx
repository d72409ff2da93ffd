/** Whether and where the agents of a site look for devices. */
import type { DiscoverySettings } from '../../../shared/agent/discovery.ts';
import { admin } from '../../../shared/api/admin.ts';
import { ask } from '../../api/client.ts';
import { Facts } from '../../ui/facts.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormBox, SaveActions, useForm } from '../../ui/form.tsx';
import { texts } from './texts.ts';

interface Props {
  site: string;
  discovery: DiscoverySettings;
}

export function DiscoveryForm({ site, discovery: { enabled, networks, intervalSeconds } }: Props) {
  const form = useForm({
    first: {
      enabled,
      mode: networks === 'auto' ? 'auto' : 'listed',
      /** One a line. */
      networks: networks === 'auto' ? '' : networks.join('\n'),
      intervalSeconds: String(intervalSeconds),
    },
    schema: admin.changeSite.body,
    says: { networks: texts.listError, intervalSeconds: texts.intervalHint },
    body: (values) => ({
      discovery: {
        enabled: values.enabled,
        networks:
          values.mode === 'auto'
            ? ('auto' as const)
            : values.networks.split(/[\s,;]+/).filter((network) => network !== ''),
        intervalSeconds: Number(values.intervalSeconds),
      },
    }),
    send: (body) => ask('PATCH /sites/{site}', { params: { site }, body }),
    toast: texts.saved,
    onDone: () => form.reset(),
  });
  return (
    <FormBox form={form} actions={<SaveActions form={form} />}>
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
    </FormBox>
  );
}

/** For a token that may not change them. */
export function DiscoveryFacts({ discovery: { enabled, networks, intervalSeconds } }: Pick<Props, 'discovery'>) {
  return (
    <Facts
      facts={[
        [texts.enabled, enabled ? texts.on : texts.off],
        [texts.networks, networks === 'auto' ? texts.auto : networks.join(', ')],
        [texts.interval, intervalSeconds],
      ]}
    />
  );
}
