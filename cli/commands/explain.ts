/** `lanreach devices explain`: what a device seems to be, and by what. */
import type { Command } from 'commander';
import type { DeviceEvidence } from '../../shared/api/device-evidence.ts';
import { KINDS } from '../../shared/recognition/kind-table.ts';
import { openSession } from '../client/session.ts';
import { fields, type Text, table, time } from '../client/text.ts';
import { DEVICE, keyOf } from './device-names.ts';
import { siteOption } from './site-option.ts';

export function addExplainCommand(command: Command): void {
  command
    .command('explain')
    .description('show the probable type of a device, and the evidence for it')
    .argument('<device>', DEVICE)
    .addOption(siteOption())
    .action(async (device: string, { site }: { site?: string }, command: Command) => {
      const session = openSession(command);
      const { client, show, note } = session;
      const params = { mac: await keyOf(session, device, site) };
      const answer = await client.ask('GET /devices/{mac}/evidence', { site, params });
      await show(answer, () => evidenceText(answer));
      if (answer.observations.length === 0) note('There are no observations of this device yet.');
    });
}

function evidenceText({ mac, type, judgement, setByPerson, observations }: DeviceEvidence): Text {
  const { kind, vendor, model, name, place } = judgement;
  const verdict = <Value>(of: Judged<Value> | null, shown: (value: Value) => string) =>
    of === null ? 'not known' : `${shown(of.value)} (${Math.round(of.confidence * 100)} %, by ${sourcesOf(of)})`;
  const asIs = (text: string) => text;
  const facts = fields({
    key: mac,
    type: type === '' ? 'none' : type,
    kind: verdict(kind, (value) => KINDS[value].label),
    vendor: verdict(vendor, asIs),
    model: verdict(model, asIs),
    name: verdict(name, asIs),
    place: verdict(place, ({ parent, port }) => (port === '' ? parent : `${parent}, port ${port}`)),
    ...(setByPerson.length === 0 ? {} : { 'set by people': setByPerson.join(', ') }),
  });
  if (observations.length === 0) return facts;
  const rows = observations.map(({ source, value, by, since }) => [source, value, by, time(since)]);
  return [facts, '\n', table(['SOURCE', 'VALUE', 'BY', 'SINCE'], rows)];
}

interface Judged<Value> {
  value: Value;
  confidence: number;
  because: readonly { source: string }[];
}

function sourcesOf({ because }: Judged<unknown>): string {
  return [...new Set(because.map(({ source }) => source))].join(', ');
}
