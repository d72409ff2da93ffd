/** Adds a check: its target, and how often it runs. */
import texts from 'messages:checks';
import type { CheckKind } from '../../../shared/api/checks.ts';
import { parseDeviceKey } from '../../../shared/device-key.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { everyText } from '../../text/format.ts';
import { DeviceField } from '../../ui/device-field.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Form, FormDialog, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';

const EVERY_SECONDS = [60, 300, 900, 3_600];
const RECORDS = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'PTR', 'SRV'] as const;

const FIRST = {
  kind: 'ping' as CheckKind,
  /** A device, an address or a name. */
  host: '',
  port: '',
  url: '',
  status: '',
  text: '',
  name: '',
  record: 'A' as (typeof RECORDS)[number],
  server: '',
  expect: '',
  anchors: '',
  toSite: '',
  label: '',
  everySeconds: '60',
  agents: 'auto' as 'auto' | 'all',
};
type Values = typeof FIRST;

export function AddCheck({ site, onClose }: { site: string; onClose: () => void }) {
  const form = useForm({
    route: 'POST /checks',
    question: { site },
    first: FIRST,
    says: { host: texts.placeMissing, port: texts.portHint, toSite: texts.toSiteMissing },
    body: (values) => {
      const { kind, label, everySeconds, agents } = values;
      return { ...targetIn(values), kind, everySeconds: Number(everySeconds), agents, ...given({ label }) };
    },
    toast: texts.added,
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={texts.add} submit={texts.add} onClose={onClose}>
      <SelectField label={texts.kind} {...form.text('kind')}>
        <Options of={texts.kinds} />
      </SelectField>
      <Target site={site} form={form} />
      <TextField label={texts.label} hint={texts.labelHint} maxLength={100} {...form.text('label')} />
      <SelectField label={texts.every} {...form.text('everySeconds')}>
        <Options of={EVERY_SECONDS.map((seconds) => [seconds, everyText(seconds)])} />
      </SelectField>
      <SelectField label={texts.agents} {...form.text('agents')}>
        <option value="auto">{texts.agentsAuto}</option>
        <option value="all">{texts.agentsAll}</option>
      </SelectField>
    </FormDialog>
  );
}

function Target({ site, form }: { site: string; form: Form<Values> }) {
  const { kind } = form.values;
  switch (kind) {
    case 'ping':
      return <DeviceField site={site} label={texts.place} hint={texts.placeHint} {...form.text('host')} />;
    case 'tcp':
      return (
        <>
          <DeviceField site={site} label={texts.place} hint={texts.placeHint} {...form.text('host')} />
          <TextField label={texts.port} inputMode="numeric" {...form.text('port')} />
        </>
      );
    case 'http':
      return (
        <>
          <TextField label={texts.url} type="url" hint={texts.urlHint} {...form.text('url')} />
          <TextField label={texts.status} hint={texts.statusHint} {...form.text('status')} />
          <TextField label={texts.text} maxLength={200} {...form.text('text')} />
        </>
      );
    case 'dns':
      return (
        <>
          <TextField label={texts.name} {...form.text('name')} />
          <SelectField label={texts.record} {...form.text('record')}>
            {RECORDS.map((record) => (
              <option key={record}>{record}</option>
            ))}
          </SelectField>
          <TextField label={texts.server} hint={texts.serverHint} {...form.text('server')} />
          <TextField label={texts.expect} {...form.text('expect')} />
        </>
      );
    case 'internet':
      return <TextField label={texts.anchors} hint={texts.anchorsHint} {...form.text('anchors')} />;
    case 'site':
      return <OtherSite site={site} form={form} />;
  }
}

function OtherSite({ site, form }: { site: string; form: Form<Values> }) {
  const { data } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  return (
    <SelectField label={texts.toSite} {...form.text('toSite')}>
      <option value="" />
      <Options of={(data?.sites ?? []).filter(({ id }) => id !== site).map(({ id, name }) => [id, name])} />
    </SelectField>
  );
}

/** The target, in the fields of its kind. */
function targetIn(values: Values) {
  const { kind, host, port, url, status, text, name, record, server, expect, anchors, toSite } = values;
  const key = parseDeviceKey(host.trim());
  const place = key === null ? { host: host.trim() } : { device: key };
  switch (kind) {
    case 'ping':
      return place;
    case 'tcp':
      return { ...place, port: Number(port) };
    case 'http':
      return { url: url.trim(), ...given({ status, text }) };
    case 'dns':
      return { name: name.trim(), record, ...given({ server, expect }) };
    case 'internet': {
      const hosts = anchors.split(/[\s,;]+/).filter((one) => one !== '');
      return hosts.length === 0 ? {} : { anchors: hosts };
    }
    case 'site':
      return { toSite };
  }
}

/** Without empty fields. */
function given<Fields extends Record<string, string>>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).map(([name, value]) => [name, value.trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value !== '')) as Partial<Fields>;
}
