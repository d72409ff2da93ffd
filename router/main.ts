/** `node router.js`: one address in front of several cells. */
import { once } from 'node:events';
import { readRouterConfig } from './config.ts';
import { startRouter } from './server.ts';

try {
  const config = readRouterConfig();
  await using router = await startRouter(config);
  process.stdout.write(
    `Listening on ${config.host}:${router.port} for ${config.cells.map(({ name }) => name).join(', ')}\n`,
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
