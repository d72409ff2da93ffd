/** A process that tries to lock a directory whenever it is told to, and says what came of it: `<program> <directory>`. */
import { lockDirectory } from '../../../agent/state/lock.ts';

const [, , directory = ''] = process.argv;
process.on('message', () => {
  lockDirectory(directory, 0).then(
    () => process.send?.('held'),
    (error: Error) => process.send?.(error.name),
  );
});
process.send?.('up');
