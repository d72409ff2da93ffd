/** `lanreach backup` */
import { ApiError, ConnectionError } from '../../client/errors.ts';
import { BackupError } from '../../shared/backup/read-backup.ts';
import type { Secret } from '../client/backup-file.ts';
import { passphraseFrom } from '../client/backup-secret.ts';
import { Failure } from '../client/failure.ts';
import type { World } from '../client/world.ts';
import type { Command } from '../command.ts';

interface BackupOptions {
  output?: string;
  encrypt?: boolean;
  passphraseFile?: string;
  recipient?: string[];
}

export function addBackupCommand(own: Command): void {
  own
    .option('--output <file>', 'the file, which is there only when it is complete; default: named after the time')
    .option('--encrypt', 'with a passphrase, for which it prompts')
    .option('--passphrase-file <file>', 'read the passphrase from a file')
    .option('--recipient <age1…>', 'encrypt for a public key of age; may be repeated', addKey)
    .addHelpText('after', HELP)
    .run(async ({ client, note, show, world }, options: BackupOptions) => {
      const secret = await secretOf(world, options);
      const { writeBackupFile } = await import('../client/backup-file.ts');
      const output = options.output ?? defaultName(secret);
      try {
        await writeBackupFile(output, client.downloadBytes('POST /backup'), secret);
      } catch (error) {
        throw explained(error, client.url);
      }
      await show({ file: output, encrypted: secret !== null }, () => `${output}\n`);
      if (secret === null) note(PLAIN);
      note(`It becomes a running system again, here or on another host: lanreach restore ${output}`);
    });
}

const HELP = `
It has the devices of all sites with all that belongs to them, tokens, hooks with their secrets, the certificate authority
with its key, and the keys of agents on that host. Without a terminal, the passphrase comes from --passphrase-file or
LANREACH_BACKUP_PASSPHRASE. The token must be one with the scope admin for all sites.`;

const PLAIN =
  'Anyone who reads this file has all devices, the token of the service and the key of its certificate authority. Keep it as you ' +
  'keep passwords, or encrypt it: --encrypt';

const addKey = (key: string, keys: string[] = []): string[] => [...keys, key];

async function secretOf(world: World, options: BackupOptions): Promise<Secret | null> {
  const { encrypt = false, passphraseFile, recipient } = options;
  if (recipient !== undefined) {
    if (encrypt || passphraseFile !== undefined)
      throw new Failure('usage', 'Use --recipient or a passphrase, not both');
    const { checkKeys } = await import('../client/backup-file.ts');
    await checkKeys('recipient', recipient);
    return { keys: recipient };
  }
  if (!encrypt && passphraseFile === undefined) return null;
  return { passphrase: await passphraseFrom(world, passphraseFile, { isNew: true }) };
}

function defaultName(secret: Secret | null): string {
  const time = new Date().toISOString().replace(/\.\d+|[-:]/g, '');
  return `lanreach-backup-${time}.tar.gz${secret === null ? '' : '.age'}`;
}

function explained(error: unknown, url: string): unknown {
  const isUnknownPath = error instanceof ApiError && error.code === 'not_found' && error.message.includes('The path');
  if (isUnknownPath) {
    return new Failure(
      'notFound',
      `${url} makes no backups of this kind: in the cloud, DynamoDB keeps every second of the last 35 days (point-in-time ` +
        'recovery). docs/restore-cloud.md has the commands',
    );
  }
  const isBroken = error instanceof ConnectionError && error.code !== 'ECONNREFUSED';
  if (isBroken || error instanceof BackupError) {
    return new Failure('failure', `The backup is incomplete, and not kept. Make it again: ${error.message}`, {
      cause: error,
    });
  }
  return error;
}
