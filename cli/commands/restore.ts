/** `lanreach restore` */
import type { BackupHead } from '../../shared/backup/contents.ts';
import { BackupError, headOf } from '../../shared/backup/read-backup.ts';
import { shellWord } from '../../shared/install-line.ts';
import type { Secret } from '../client/backup-file.ts';
import { secretFrom } from '../client/backup-secret.ts';
import { dataFolderOf } from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { openOutput } from '../client/session.ts';
import { type World, worldOf } from '../client/world.ts';
import type { Command } from '../command.ts';

interface RestoreOptions {
  data?: string;
  passphraseFile?: string;
  identityFile?: string;
}

export function addRestoreCommand(own: Command): void {
  own
    .argument('<file>', 'what "backup" has written')
    .option('--data <folder>', 'the new data folder; default: LANREACH_DATA, or .lanreach')
    .option('--passphrase-file <file>', 'read the passphrase of the backup from a file')
    .option('--identity-file <file>', 'read the keys of age (AGE-SECRET-KEY-…) from a file')
    .addHelpText('after', HELP)
    .action(async (file: string, options: RestoreOptions, command: Command) => {
      try {
        await restoreAll(await reader(worldOf(command), file, options), file, options, command);
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

type Read = () => ReturnType<typeof import('../client/backup-file.ts')['readBackupFile']>;

/** @returns opens the file at its beginning, each time it is called; it prompts for a passphrase once */
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

/** Reads all of it. @throws {BackupError} when it is not whole */
async function check(read: Read): Promise<{ head: BackupHead; bytes: number; rows: number }> {
  let bytes = 0;
  let head: BackupHead | null = null;
  const files = read();
  for (;;) {
    const { value, done } = await files.next();
    if (done) {
      if (head === null) throw new BackupError('it is empty');
      return { head, bytes, rows: value.rows };
    }
    head ??= headOf(value);
    bytes += value.content.length;
  }
}
