/** `npm run bench -- costs`: prints the tables of DEPLOY.md, and those of docs/scale.md. */
import { costTable, deployments, thousandsTable } from '../costs/tables.ts';
import { scaleTables } from './tables.ts';

const both = deployments(process.cwd());
process.stdout.write([costTable(both), thousandsTable(both), ...scaleTables(both)].join('\n'));
