/** `lanreach devices set` */
import { Option } from 'commander';
import type { DeviceEdit } from '../../shared/api/device-edits.ts';
import type { EditableField } from '../../shared/device.ts';
import { Failure } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { fields } from '../client/text.ts';
import type { Command } from '../command.ts';
import { flag } from '../option-values.ts';
import { DEVICE, keyOf, keysOf, someOf } from './device-names.ts';
import { deviceText } from './device-text.ts';

/** An edit of many devices waits until another change of the site has ended. */
const EDIT_TIMEOUT_MS = 120_000;

/** The options that set a field. */
const TEXTS = {
  name: 'devName',
  type: 'devType',
  parent: 'devParentMAC',
  port: 'devParentPort',
  owner: 'devOwner',
  group: 'devGroup',
  location: 'devLocation',
  comments: 'devComments',
  model: 'devModel',
} as const satisfies Record<string, EditableField>;
const FLAGS = {
  favorite: 'devFavorite',
  archived: 'devIsArchived',
  new: 'devIsNew',
  alertDown: 'devAlertDown',
} as const satisfies Record<string, EditableField>;

type SetOptions = { dryRun?: boolean } & Partial<Record<keyof typeof TEXTS, string>> &
  Partial<Record<keyof typeof FLAGS, 'on' | 'off'>>;

export function addSetCommand(command: Command): void {
  const set = command
    .part('set', 'change what people say of a device, or of several at once; discovery leaves that alone')
    .argument('<device...>', `${DEVICE}; several get the same values`);
  for (const name of Object.keys(TEXTS)) {
    const what = name === 'parent' ? 'the device on which it hangs, by MAC or name; empty for none' : 'empty for none';
    set.option(`--${optionOf(name)} <${name === 'parent' ? 'device' : 'text'}>`, what);
  }
  for (const name of Object.keys(FLAGS)) {
    set.addOption(new Option(`--${optionOf(name)} <on|off>`).choices(['on', 'off']));
  }
  set
    .option('--dry-run', 'change nothing, only say how many devices would change')
    .withSite()
    .run(async (session, named: string[], options: SetOptions) => {
      const { request, site } = session;
      const edit = await editOf(session, options);
      const keys = [...new Set(await keysOf(session, named))];
      const [mac, ...others] = keys;
      if (mac !== undefined && others.length === 0 && !options.dryRun) {
        const question = { site, params: { mac }, body: edit };
        return request('PATCH /devices/{mac}', question, (device) => deviceText(device));
      }
      const body = { devices: keys, set: edit };
      const question = { site, query: { dryRun: flag(options.dryRun) }, body, timeoutMs: EDIT_TIMEOUT_MS };
      const answer = await request('PATCH /devices', question, ({ updated, unchanged, missing, change }) =>
        fields({ updated, unchanged, missing: missing.length, change }),
      );
      if (answer.missing.length === 0) return;
      throw new Failure('notFound', `Not in the collection, and so not changed: ${someOf(answer.missing)}`);
    });
}

/** @throws {Failure} `usage` when the options name no field */
async function editOf(session: Session, options: SetOptions): Promise<DeviceEdit> {
  const edit: Record<string, string | number> = {};
  for (const [name, field] of Object.entries(TEXTS)) {
    const text = options[name as keyof typeof TEXTS];
    if (text === undefined) continue;
    edit[field] = field === 'devParentMAC' && text !== '' ? await keyOf(session, text) : text;
  }
  for (const [name, field] of Object.entries(FLAGS)) {
    const word = options[name as keyof typeof FLAGS];
    if (word !== undefined) edit[field] = word === 'on' ? 1 : 0;
  }
  if (Object.keys(edit).length === 0) throw new Failure('usage', 'Nothing to set: name a field, such as --name "nas"');
  return edit as DeviceEdit;
}

const optionOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
