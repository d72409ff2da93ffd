/**
 * The key that authenticates the rows of the embedded database that grant rights (see `store/seal.ts`).
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { writeAtomically } from '../agent/state/atomic-file.ts';
import { PARTITIONS, PREFIXES, rows, sitePartition } from '../store/rows.ts';
import type { SealSettings } from '../store/seal.ts';
import { Table, type TableSettings } from '../store/table.ts';
import { type DataFolder, readSecret } from './data-folder.ts';

const KEY_BYTES = 32;
/** Rejected rows that are remembered, so that each is logged once. */
const MAX_REMEMBERED_ROWS = 1_000;

export interface Seal {
  settings: SealSettings;
  /**
   * If the key is new: seals the existing rows, and then stores the key. So a database from before there were seals can
   * still be used; its rows are trusted this once. Otherwise it does nothing.
   */
  introduce(sealed: Table, settings: TableSettings): Promise<void>;
}

/** It is stored once the table is there: so where it is, there was a database. */
export function sealKeyFile(data: Pick<DataFolder, 'path'>): string {
  return join(data.path, 'seal-key');
}

/** Uses the key in the data folder; creates a new one at the first start, or if the file was removed. */
export async function openSeal(data: DataFolder, log: Logger): Promise<Seal> {
  const file = sealKeyFile(data);
  const kept = Buffer.from((await readSecret(file))?.trim() ?? '', 'hex');
  const isNew = kept.length !== KEY_BYTES;
  const key = isNew ? randomBytes(KEY_BYTES) : kept;
  const refused = new Set<string>();
  return {
    settings: {
      key,
      onRefused({ pk, sk }) {
        const row = `${pk} ${sk}`;
        if (refused.has(row) || refused.size >= MAX_REMEMBERED_ROWS) return;
        refused.add(row);
        log.warn(
          { pk, sk },
          'ignored a row of the database that was not written by this server (its seal is missing or wrong)',
        );
      },
    },
    async introduce(sealed, settings) {
      if (!isNew) return;
      await sealExistingRows(sealed, settings);
      await writeAtomically(file, `${key.toString('hex')}\n`);
    },
  };
}

async function sealExistingRows(sealed: Table, { seal: _, ...unsealed }: TableSettings): Promise<void> {
  const found = new Table({ ...unsealed, soleWriter: false });
  for await (const entries of found.query(PARTITIONS.tokenList, PREFIXES.listedToken)) {
    for (const { sk } of entries) {
      const token = await found.get(rows.token(sk.slice(PREFIXES.listedToken.length)), { consistent: true });
      if (token !== null) await sealed.put(token);
    }
  }
  for await (const sites of found.query(PARTITIONS.siteList, PREFIXES.site)) {
    for (const { sk } of sites) {
      for await (const agents of found.query(sitePartition(sk.slice(PREFIXES.site.length)), PREFIXES.agent)) {
        for (const agent of agents) await sealed.put(agent);
      }
    }
  }
  found.client.destroy();
}
