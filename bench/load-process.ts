/** A process of its own for the load, so that its work and that of the measurements do not wait for each other. */
import { type Load, runLoad } from './load.ts';

let stop = new AbortController();

process.on('message', async (message: { load: Load } | { stop: true }) => {
  if ('stop' in message) return stop.abort();
  stop = new AbortController();
  process.send?.(await runLoad(message.load, stop.signal));
});
process.on('disconnect', () => process.exit());
process.stdout.write('ready\n');
