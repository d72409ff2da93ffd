/**
 * The contents of a backup: the files of the data folder, with the rows of the database as text, in one tar. Unpacked, it
 * is a data folder: the next start loads the rows. The first file identifies the backup; the last one lists all others
 * with their digests, so a backup without it is truncated.
 */
import * as z from 'zod';
import { FORMAT, formatIn, otherFormat } from '../format.ts';

export const HEAD = 'backup.json';
export const END = 'end.json';
/** The folder of the rows. */
export const ROWS = 'rows';

/** Every file that a backup can have. */
const FILE_NAME =
  /^(?:backup\.json|end\.json|format|state\.json|api-token|ca\/(?:authority\.pem|broker\.pem|functions\.pem|revoked)|agents\/[a-z0-9][a-z0-9-]{0,62}\/(?:format|(?:identity|policy|snmp)\.json)|rows\/\d{6}\.jsonl)$/;
export const isFileName = (name: string): boolean => FILE_NAME.test(name);

export const rowsFile = (number: number): string => `${ROWS}/${String(number).padStart(6, '0')}.jsonl`;
export const isRowsFile = (name: string): boolean => name.startsWith(`${ROWS}/`);

/** Each file is held in memory as a whole. A file of rows is closed when it has more than ROWS_BYTES. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
export const ROWS_BYTES = 2 * 1024 * 1024;

export const BackupHead = z.object({
  format: z.literal(FORMAT, { error: ({ input }) => otherFormat('The backup', formatIn(input)) }),
  /** Of LanReach. */
  version: z.string().max(100),
  madeAt: z.iso.datetime(),
  /** The broker's address for agents on other hosts. */
  broker: z.string().max(300),
});
export type BackupHead = z.infer<typeof BackupHead>;

export const BackupEnd = z.object({
  rows: z.int().min(0),
  /** All other files, in their order. */
  files: z.array(z.object({ name: z.string(), size: z.int().min(0), sha256: z.string() })),
});
export type BackupEnd = z.infer<typeof BackupEnd>;

/** A line of a file with rows. The row has the texts and numbers of the item, and `{b: base64}` for its bytes. */
export const RowLine = z.object({ row: z.looseObject({ pk: z.string(), sk: z.string() }) });
