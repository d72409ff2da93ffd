/**
 * Writes cdk/stateful-resources.json, the resources that an upgrade must keep, from the present stacks. Run `npm run
 * stateful-resources` after adding a resource, or when a deployment is meant to replace or delete one, and commit the result:
 * cdk/stack.system.test.ts compares the two.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { importSources } from './files.mjs';

// Two folders below the root, like the sources, which find the root by their own place.
const program = 'stateful-resources/program.mjs';
const { synthesize } = await importSources(`export { synthesize } from './test/cdk/synthesize.ts'`, program);
const { stateful } = synthesize();
const file = fileURLToPath(new URL('../cdk/stateful-resources.json', import.meta.url));
await writeFile(file, `${JSON.stringify(stateful, null, 2)}\n`);
console.log(`${Object.values(stateful).flatMap(Object.keys).length} resources`);
