/** `npm run bench -- costs`: prints the tables of DEPLOY.md, and puts them in the place of those there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { deploymentOf } from './deployment.ts';
import { costTable, thousandsTable } from './tables.ts';

const deployment = deploymentOf(process.cwd());
const tables = [costTable(deployment), thousandsTable(deployment)];

/** The document with the table in the place of that with the same head. */
function replaced(text: string, table: string): string {
  const headOf = (rows: string) => rows.split('\n', 1).join().replaceAll(/\s+/g, ' ');
  return text.replaceAll(/^(?:\|.*\n)+/gm, (old) => (headOf(old) === headOf(table) ? table : old));
}

process.stdout.write(`${tables.join('\n')}\n`);
writeFileSync('DEPLOY.md', tables.reduce(replaced, readFileSync('DEPLOY.md', 'utf8')));
