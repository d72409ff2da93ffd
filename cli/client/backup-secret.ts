/** Passphrases and keys of backups. None is an argument, because every user of the host can read those. */
import { readFileSync } from 'node:fs';
import type { Secret } from './backup-file.ts';
import { passphraseOf } from './config.ts';
import { Failure, unreadableFile } from './failure.ts';
import { askForSecret } from './secret.ts';
import type { World } from './world.ts';

/** With less, anyone with the file can try them all. */
const SHORTEST = 10;

/** The passphrase of the file, the environment or the terminal, in this order. @param isNew whether it is to be chosen */
export async function passphraseFrom(
  world: World,
  file: string | undefined,
  { isNew }: { isNew: boolean },
): Promise<string> {
  const given = file === undefined ? passphraseOf(world.env) : firstLine(file);
  const passphrase = given ?? (await askFor(world, isNew));
  if (passphrase === '') throw new Failure('usage', 'The passphrase is empty');
  if (isNew && passphrase.length < SHORTEST)
    throw new Failure('usage', `The passphrase is too short: at least ${SHORTEST} characters, better five words`);
  return passphrase;
}

/** What opens an encrypted file. */
export async function secretFrom(
  world: World,
  options: { passphraseFile?: string; identityFile?: string },
): Promise<Secret> {
  if (options.identityFile === undefined)
    return { passphrase: await passphraseFrom(world, options.passphraseFile, { isNew: false }) };
  const keys = linesOf(options.identityFile).filter((line) => line !== '' && !line.startsWith('#'));
  const { checkKeys } = await import('./backup-file.ts');
  await checkKeys('identity', keys);
  return { keys };
}

async function askFor(world: World, isNew: boolean): Promise<string> {
  if (!world.stdin.isTTY)
    throw new Failure('usage', 'Without a terminal: use --passphrase-file or LANREACH_BACKUP_PASSPHRASE');
  const passphrase = await askForSecret(world, 'Passphrase of the backup', 'No passphrase was given');
  if (!isNew || passphrase === (await askForSecret(world, 'The same again', 'No passphrase was given')))
    return passphrase;
  throw new Failure('usage', 'The two passphrases differ');
}

const firstLine = (file: string): string => linesOf(file)[0] ?? '';

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.replace(/\r$/, ''));
  } catch (error) {
    throw unreadableFile(file, error as Error);
  }
}
