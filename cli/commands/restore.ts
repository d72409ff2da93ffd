/** `lanreach restore` */
import type { Command } from 'commander';
import { type BackupHead, isRowsFile, lineStartOf, type RowLine } from '../../shared/backup/contents.ts';
import { PUT_BYTES } from '../../shared/backup/operations.ts';
import { BackupError, type BackupFile, headOf } from '../../shared/backup/read-backup.ts';
import type { SiteId } from '../../shared/identity.ts';
import { shellWord } from '../../shared/install-line.ts';
import type { Api } from '../client/api.ts';
import type { Secret } from '../client/backup-file.ts';
import { secretFrom } from '../client/backup-secret.ts';
import { dataFolderOf } from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { openOutput, openSession } from '../client/session.ts';
import { type World, worldOf } from '../client/world.ts';

interface RestoreOptions {
  data?: string;
  site?: string;
  replace?: boolean;
  passphraseFile?: string;
  identityFile?: string;
}

/** What is known of a file when all of it was read and found whole. */
interface Checked {
  head: BackupHead;
  /** Of all files. */
  bytes: number;
  rows: number;
  /** Rows of the site that is asked for. */
  ofSite: number;
  /** The certificate of the authority, PEM, and the serial numbers of certificates that were revoked. */
  authority: string;
  revoked: string[];
}

/** A site is removed and its rows are put; each of these requests waits for the disk. */
const BEGIN_WITHIN_MS = 30 * 60_000;
const PUT_WITHIN_MS = 5 * 60_000;

export function addRestoreCommand(own: Command): void {
  own
    .argument('<file>', 'what "backup" has written')
    .option('--data <folder>', 'the new data folder; default: LANREACH_DATA, or .lanreach')
    .option('--site <id>', 'only this site, into the system that runs')
    .option('--replace', 'also if there is such a site: it is removed first')
    .option('--passphrase-file <file>', 'read the passphrase of the backup from a file')
    .option('--identity-file <file>', 'read the keys of age (AGE-SECRET-KEY-…) from a file')
    .addHelpText('after', HELP)
    .action(async (file: string, options: RestoreOptions, command: Command) => {
      if (options.site === undefined && options.replace)
        throw new Failure('usage', '--replace is for --site; a data folder is never overwritten');
      if (options.site !== undefined && options.data !== undefined)
        throw new Failure(
          'usage',
          '--site goes into the system that runs, and --data makes a new one: use one of them',
        );
      const read = await reader(worldOf(command), file, options);
      try {
        if (options.site === undefined) await restoreAll(read, file, options, command);
        else await restoreSite(read, { ...options, site: options.site }, command);
      } catch (error) {
        if (!(error instanceof BackupError)) throw error;
        throw new Failure('failure', `${file}: ${error.message}. Nothing was written`, { cause: error });
      }
    });
}

const HELP = `
Everything in the file is checked before anything is written. The data folder has to be empty, and belongs to who runs this:
run it as the user that the server runs as. Agents come back by themselves when the new host has the address or the name by
which they know the old one.`;

export type Read = () => ReturnType<typeof import('../client/backup-file.ts')['readBackupFile']>;

/** @returns what reads the file from its beginning, each time it is called; a passphrase is asked for once */
async function reader(world: World, file: string, options: RestoreOptions): Promise<Read> {
  const { readBackupFile } = await import('../client/backup-file.ts');
  let secret: Promise<Secret> | undefined;
  return () => readBackupFile(file, () => (secret ??= secretFrom(world, options)));
}

async function restoreAll(read: Read, file: string, options: RestoreOptions, command: Command): Promise<void> {
  const { note, show } = openOutput(command);
  const { requireEmptyFolder, unpackInto } = await import('../client/restored-folder.ts');
  const data = options.data ?? dataFolderOf(worldOf(command).env);
  await requireEmptyFolder(data, 0);
  const { head, bytes, rows } = await check(read);
  const folder = await requireEmptyFolder(data, bytes);
  await unpackInto(folder, read());
  await show({ folder, madeAt: head.madeAt, version: head.version, rows }, () => `${folder}\n`);
  note(`The backup ${file} of ${head.madeAt} is restored: ${rows} rows. Its former system must not run any more.`);
  note(`Start it: LANREACH_DATA=${shellWord(folder)} npm start`);
  note(
    `Agents on other hosts look for ${head.broker}, and come back by themselves when this host has that address. If it has ` +
      'another one, set LANREACH_BROKER and LANREACH_API on their hosts to the new one.',
  );
}

async function restoreSite(
  read: Read,
  { site, replace = false }: RestoreOptions & { site: SiteId },
  command: Command,
): Promise<void> {
  const { client, note, show } = openSession(command);
  const answer = await putSite(client, read, { site, replace }, ({ head, ofSite }) =>
    note(
      `The site ${site} becomes what it was at ${head.madeAt}: ${ofSite} rows. ${replace ? 'What it is now is removed first. ' : ''}` +
        'Other sites and all tokens stay as they are.',
    ),
  );
  await show(answer, () => `${site}\n`);
  if (answer.agents.length > 0) note(`These agents come back by themselves: ${answer.agents.join(', ')}`);
  if (answer.lostAgents.length > 0)
    note(
      `These have to be enrolled again, because their certificates are of another authority or were revoked: ${answer.lostAgents.join(', ')}`,
    );
}

/**
 * Puts a site of a backup into a system that runs.
 * @param onChecked called when the file was found whole, before anything is changed
 */
export async function putSite(
  client: Api,
  read: Read,
  { site, replace }: { site: SiteId; replace: boolean },
  onChecked: (checked: Checked) => void,
) {
  const checked = await check(read, site);
  const { head, ofSite, authority, revoked } = checked;
  if (ofSite === 0) throw new Failure('notFound', `The backup of ${head.madeAt} has no site "${site}"`);
  onChecked(checked);
  const begin = { body: { site, replace }, timeoutMs: BEGIN_WITHIN_MS };
  const { id } = await client.ask('POST /site-restores', begin);
  try {
    for await (const rows of rowsOf(read(), site)) {
      const question = { params: { site }, body: { id, rows }, timeoutMs: PUT_WITHIN_MS };
      await client.ask('POST /site-restores/{site}/rows', question);
    }
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const message = `The backup has changed since it was checked: ${error.message}. The site ${site} is absent until it is restored`;
    throw new Failure('failure', message, { cause: error });
  }
  return client.ask('POST /site-restores/{site}/end', {
    params: { site },
    body: { id, authority, revoked },
    timeoutMs: BEGIN_WITHIN_MS,
  });
}

/** Reads all of it. @throws {BackupError} when it is not whole */
async function check(read: Read, site?: SiteId): Promise<Checked> {
  const checked = { bytes: 0, ofSite: 0, authority: '', revoked: [] as string[] };
  let head: BackupHead | null = null;
  const files = read();
  for (;;) {
    const { value, done } = await files.next();
    if (done) {
      if (head === null) throw new BackupError('it is empty');
      return { ...checked, head, rows: value.rows };
    }
    head ??= headOf(value);
    const { name, content } = value;
    checked.bytes += content.length;
    if (name === 'ca/revoked') checked.revoked = textOf(content).split('\n').filter(Boolean);
    if (name === 'ca/authority.pem') checked.authority = CERTIFICATE.exec(textOf(content))?.[0] ?? '';
    if (site !== undefined) checked.ofSite += linesOf(value, site).length;
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/;

/** The rows of a site, as many at a time as a request may have. */
async function* rowsOf(files: AsyncIterable<BackupFile>, site: SiteId): AsyncGenerator<RowLine[]> {
  let rows: RowLine[] = [];
  let bytes = 0;
  for await (const file of files) {
    for (const line of linesOf(file, site)) {
      rows.push(JSON.parse(line));
      bytes += line.length;
      if (bytes < PUT_BYTES && rows.length < MOST_ROWS) continue;
      yield rows;
      rows = [];
      bytes = 0;
    }
  }
  if (rows.length > 0) yield rows;
}

const MOST_ROWS = 5_000;

function linesOf({ name, content }: BackupFile, site: SiteId): string[] {
  if (!isRowsFile(name)) return [];
  const start = lineStartOf(site);
  return textOf(content)
    .split('\n')
    .filter((line) => line.startsWith(start));
}

const textOf = (content: Uint8Array): string => new TextDecoder().decode(content);
