/** The stacks as they would be deployed, with everything that they must pass; only what the functions run is left out. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUNDLES_FOLDER } from '../lambda/bundled-function.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { type Resources, resolved } from './policy.ts';
import { type Stacks, synthesizeStacks, type Template } from './stacks.ts';
import { type StatefulStacks, statefulResources } from './stateful-resources.ts';

export interface Synthesized {
  /** Of both stacks. What one takes from the other is resolved like what it has itself. */
  resources: Resources;
  /** Values by their names, of the stack with the functions. */
  outputs: Record<string, unknown>;
  /** What an upgrade must keep, of each stack. */
  stateful: StatefulStacks;
  stacks: Stacks;
}

const ROOT = join(import.meta.dirname, '../..');

/** @throws {Error} for every finding of the checks that nobody has answered for */
export function synthesize(settings: Record<string, string> = {}): Synthesized {
  using folder = makeTestFolder();
  const stacks = synthesizeStacks(ROOT, settings, folder.path);
  return { ...connected(stacks.data.template, stacks.main.template), stacks };
}

/**
 * As {@link synthesize}, without the checks, and made once for all files of a run. To load the checks takes fifteen seconds of a
 * processor in each worker: `cdk/options.system.test.ts` has them for all.
 */
export async function synthesizeOnce(settings: Record<string, string> = {}): Promise<Synthesized> {
  const folder = process.env[BUNDLES_FOLDER];
  if (folder === undefined) return unchecked(() => synthesize(settings));
  const file = join(folder, `stacks-${createHash('sha256').update(JSON.stringify(settings)).digest('hex')}.json`);
  while (!existsSync(file)) {
    const lock = `${file}.lock`;
    if (!isTaken(lock)) {
      try {
        if (existsSync(file)) continue;
        writeFileSync(`${file}.draft`, JSON.stringify(unchecked(() => synthesize(settings)).stacks));
        renameSync(`${file}.draft`, file);
      } finally {
        rmSync(lock, { recursive: true });
      }
    } else await sleep(100);
  }
  const stacks = JSON.parse(readFileSync(file, 'utf8')) as Stacks;
  return { ...connected(stacks.data.template, stacks.main.template), stacks };
}

/** Takes the lock, unless another worker has it. */
function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return false;
  } catch {
    return true;
  }
}

/** Without the checks of CloudFormation, which take most of the time. The CDK reads from the environment if it checks. */
export function unchecked<Result>(synthesis: () => Result): Result {
  const before = process.env.CDK_VALIDATION;
  process.env.CDK_VALIDATION = 'false';
  try {
    return synthesis();
  } finally {
    if (before === undefined) delete process.env.CDK_VALIDATION;
    else process.env.CDK_VALIDATION = before;
  }
}

/** The two templates as one deployment. */
function connected(data: Template, main: Template): Omit<Synthesized, 'stacks'> {
  const exported = Object.fromEntries(
    Object.values(data.Outputs).map((output) => {
      const { Value, Export } = output as { Value: unknown; Export: { Name: string } };
      return [Export.Name, resolved(Value)];
    }),
  );
  const dataResources = resolved(data.Resources) as Resources;
  const mainResources = resolved(main.Resources, exported) as Resources;
  const outputs = Object.entries(resolved(main.Outputs, exported) as Record<string, { Value: unknown }>);
  return {
    resources: { ...dataResources, ...mainResources },
    outputs: Object.fromEntries(outputs.map(([name, { Value }]) => [name, Value])),
    stateful: { data: statefulResources(dataResources), main: statefulResources(mainResources) },
  };
}
