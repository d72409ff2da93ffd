/** `npm run bench -- costs`: prints the tables of DEPLOY.md and docs/scale.md, and puts them in the place of those there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { deploymentOf } from '../costs/deployment.ts';
import { costTable, thousandsTable } from '../costs/tables.ts';
import { scaleTables } from './tables.ts';

const deployment = deploymentOf(process.cwd());
const tables = {
  'DEPLOY.md': [costTable(deployment), thousandsTable(deployment)],
  'docs/scale.md': scaleTables(deployment),
};

/** The table of a document that has the same head. */
function replaced(text: string, table: string): string {
  const headOf = (rows: string) => rows.split('\n', 1).join().replaceAll(/\s+/g, ' ');
  return text.replaceAll(/^(?:\|.*\n)+/gm, (old) => (headOf(old) === headOf(table) ? table : old));
}

for (const [document, made] of Object.entries(tables)) {
  process.stdout.write(`${made.join('\n')}\n`);
  writeFileSync(document, made.reduce(replaced, readFileSync(document, 'utf8')));
}
