/** Writes to a table until it is killed, and says each time what was acknowledged. Arguments: the file, the first number. */
import { openLmdbTable } from '../../../functions/table/lmdb.ts';

const [file = '', first = '0'] = process.argv.slice(2);
const table = openLmdbTable(file);
for (let n = Number(first); ; n++) {
  const text = 'x'.repeat((n * 37) % 5_000); // Some need pages of their own.
  const done = await Promise.all([
    table.put({ pk: 'single', sk: String(n).padStart(8, '0'), text }),
    table.transact([{ put: { pk: 'pair', sk: 'left', n, text } }, { put: { pk: 'pair', sk: 'right', n, text } }]),
    table.update({ pk: 'count', sk: 'all' }, { set: { n }, add: { sum: 1 } }),
    table.remove({ pk: 'single', sk: String(n - 100).padStart(8, '0') }),
  ]);
  if (done.includes(false)) throw new Error('a write without a condition was refused');
  process.stdout.write(`${n}\n`);
}
