/** `npm run costs`: prints the tables of DEPLOY.md, and those of docs/scale.md. */

import { costTables, deployments } from '../costs/tables.ts';
import { scaleTables } from './tables.ts';

const both = deployments(process.cwd());
process.stdout.write([...costTables(both), ...scaleTables(both)].join('\n'));
