/** `lanreach devices explain`: what a device seems to be, and by what. */
import type { DeviceEvidence } from '../../shared/api/device-evidence.ts';
import { KINDS } from '../../shared/recognition/kind-table.ts';
import { fields, type Text, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { DEVICE, keyOf } from './device-names.ts';

export function addExplainCommand(command: Command): void {
  command
    .part('explain', 'show the probable type of a device, and the evidence for it')
    .argument('<device>', DEVICE)
    .withSite()
    .run(async (session, device: string) => {
      const { request, note, site } = session;
      const params = { mac: await keyOf(session, device) };
      const { observations } = await request('GET /devices/{mac}/evidence', { site, params }, evidenceText);
      if (observations.length === 0) note('There are no observations of this device yet.');
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
    'set by people': setByPerson.join(', ') || null,
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
