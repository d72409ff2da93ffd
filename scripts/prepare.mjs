/** The build step of `npm start`: the programs, and a release of the agent that this clone can offer. */
import { buildPrograms } from './build.mjs';
import { makeSmallRelease } from './package.mjs';

await Promise.all([
  buildPrograms(),
  makeSmallRelease().catch((error) => console.log(`No agent for other hosts: ${error.message}`)),
]);
