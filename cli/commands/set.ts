/** `lanreach devices set` */
import { type Command, Option } from 'commander';
import type { AnswerOf } from '../../client/routes.ts';
import type { DeviceEdit } from '../../shared/api/device-edits.ts';
import type { EditableField } from '../../shared/device.ts';
import { Failure } from '../client/failure.ts';
import { openSession, type Session } from '../client/session.ts';
import { fields, type Text } from '../client/text.ts';
import { DEVICE, keyOf, keysOf, someOf } from './device-names.ts';
import { deviceText } from './device-text.ts';
import { siteOption } from './site-option.ts';

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

type SetOptions = { site?: string; dryRun?: boolean } & Partial<Record<keyof typeof TEXTS, string>> &
  Partial<Record<keyof typeof FLAGS, 'on' | 'off'>>;

export function addSetCommand(command: Command): void {
  const set = command
    .command('set')
    .description('change what people say of a device, or of several at once; discovery leaves that alone')
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
    .addOption(siteOption())
    .action(async (named: string[], options: SetOptions, command: Command) => {
      const session = openSession(command);
      const { client, show } = session;
      const { site, dryRun = false } = options;
      const edit = await editOf(session, options);
      const keys = [...new Set(await keysOf(session, named, site))];
      const [mac, ...others] = keys;
      if (mac !== undefined && others.length === 0 && !dryRun) {
        const answer = await client.ask('PATCH /devices/{mac}', { site, params: { mac }, body: edit });
        return show(answer, () => deviceText(answer));
      }
      const query = { dryRun: dryRun ? ('true' as const) : undefined };
      const body = { devices: keys, set: edit };
      const answer = await client.ask('PATCH /devices', { site, query, body, timeoutMs: EDIT_TIMEOUT_MS });
      await show(answer, () => editsText(answer));
      if (answer.missing.length > 0) {
        throw new Failure('notFound', `Not in the collection, and so not changed: ${someOf(answer.missing)}`);
      }
    });
}

/** @throws {Failure} `usage` when the options name no field */
async function editOf(session: Session, options: SetOptions): Promise<DeviceEdit> {
  const edit: Record<string, string | number> = {};
  for (const [name, field] of Object.entries(TEXTS)) {
    const text = options[name as keyof typeof TEXTS];
    if (text === undefined) continue;
    edit[field] = field === 'devParentMAC' && text !== '' ? await keyOf(session, text, options.site) : text;
  }
  for (const [name, field] of Object.entries(FLAGS)) {
    const word = options[name as keyof typeof FLAGS];
    if (word !== undefined) edit[field] = word === 'on' ? 1 : 0;
  }
  if (Object.keys(edit).length === 0) throw new Failure('usage', 'Nothing to set: name a field, such as --name "nas"');
  return edit as DeviceEdit;
}

function editsText({ updated, unchanged, missing, change }: AnswerOf<'PATCH /devices'>): Text {
  return fields({
    updated: String(updated),
    unchanged: String(unchanged),
    missing: String(missing.length),
    ...(change === null ? {} : { change }),
  });
}

const optionOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
