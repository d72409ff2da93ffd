/** Checks the types of both programs at once: everything outside of the console, and the console. Incrementally. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPILER = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const PROJECTS = { main: '.', console: 'console' };

const codes = await Promise.all(
  Object.entries(PROJECTS).map(async ([name, project]) => {
    const known = join(ROOT, 'node_modules', '.cache', 'types', `${name}.tsbuildinfo`);
    const args = [COMPILER, '--project', project, '--incremental', '--tsBuildInfoFile', known];
    const [code] = await once(spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }), 'exit');
    return code;
  }),
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
