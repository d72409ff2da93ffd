/** `lanreach plan` and `lanreach apply`: sites and templates as a file says them. */
import { writeFile } from 'node:fs/promises';
import { ApiError } from '../../client/errors.ts';
import { isSame } from '../../shared/api/template-settings.ts';
import { startOf } from '../../shared/text.ts';
import { planOf } from '../apply/plan.ts';
import { readSitesFile } from '../apply/read-file.ts';
import type { PlannedStep, Unit } from '../apply/unit.ts';
import { Failure, failureOf } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import type { Command } from '../command.ts';

/** Of a plan that finds something to do, as of diff(1). */
const DIFFERS = 2;
const MAX_VALUE = 100;
/** Lines about what people have set at sites. */
const MOST_NOTED = 20;

interface PlanOptions {
  export?: boolean;
  sites?: string;
  devices?: boolean;
  output?: string;
}

export function addPlanCommand(own: Command): void {
  own
    .argument('[file]', 'YAML or JSON; - reads standard input')
    .option('--export', 'write the file that says how all is now')
    .option('--sites <sites>', 'with --export: only these, such as home,tag:customers')
    .option('--devices', 'with --export: also what is said of devices')
    .option('--output <file>', 'with --export: into this file')
    .addHelpText('after', '\nExit codes: 0 all is as the file says, 2 something is to be done, 1 failure')
    .run(async (session, path: string | undefined, options: PlanOptions) => {
      if (options.export) return writeExport(session, path, options);
      if (path === undefined) throw new Failure('usage', 'Which file? Or --export, to write one');
      const { units, notes } = await planOf(session.client, path, await readSitesFile(session.world, path));
      const steps = stepsOf(units);
      await show(session, steps);
      for (const one of notes.slice(0, MOST_NOTED)) session.note(one);
      if (notes.length > MOST_NOTED)
        session.note(`and ${notes.length - MOST_NOTED} more; "lanreach template show" has all`);
      session.note(summary(steps));
      if (steps.length > 0) session.world.exitCode = DIFFERS;
    });
}

export function addApplyCommand(own: Command): void {
  own
    .argument('<file>', 'YAML or JSON; - reads standard input')
    .option('--dry-run', 'change nothing, only say what would be done')
    .withYes()
    .run(async (session, path: string, { dryRun, yes }: { dryRun?: boolean; yes?: boolean }, command: Command) => {
      const { client, world, note, confirm } = session;
      const file = await readSitesFile(world, path);
      let { units } = await planOf(client, path, file);
      const steps = stepsOf(units);
      if (dryRun || steps.length === 0) {
        await show(session, steps);
        return note(summary(steps));
      }
      // With JSON the answer is what was done.
      if (!session.isJson) await show(session, steps);
      await confirm(`${summary(steps)} Apply this?`);
      if (!yes) {
        units = (await planOf(client, path, file)).units;
        if (!isSame(steps, stepsOf(units)))
          throw new Failure('failure', 'Something has changed since the plan was shown. Nothing was done.');
      }
      const { done, stopped, secrets, notes } = await carryOut(units, command);
      if (session.isJson) await session.show({ steps, done, secrets }, () => '');
      for (const [hook, secret] of Object.entries(secrets)) note(`The secret of ${hook}, shown once: ${secret}`);
      for (const one of notes) note(one);
      if (stopped === null) return note(`Applied: ${done} of ${steps.length}.`);
      const rest = `${done} of ${steps.length} were done before it, and nothing after it. "lanreach plan" shows what is left.`;
      throw new Failure('failure', `${stopped}\n${rest}`);
    });
}

const stepsOf = (units: readonly Unit[]): PlannedStep[] => units.flatMap(({ steps }) => steps);

/** Stops at the first step that is refused, and says why. */
async function carryOut(units: readonly Unit[], command: Command) {
  let done = 0;
  const secrets: Record<string, string> = {};
  const notes: string[] = [];
  for (const { steps, carryOut } of units) {
    try {
      const outcome = await carryOut();
      Object.assign(secrets, outcome.secrets);
      notes.push(...(outcome.notes ?? []));
      done += outcome.refused?.done ?? steps.length;
      if (outcome.refused !== undefined) return { done, secrets, notes, stopped: outcome.refused.why };
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof Failure)) throw error;
      const [first] = steps;
      const why = failureOf(error, command)?.message ?? error.message;
      return { done, secrets, notes, stopped: first === undefined ? why : `${titleOf(first)}: ${why}` };
    }
  }
  return { done, secrets, notes, stopped: null };
}

async function writeExport(session: Session, path: string | undefined, options: PlanOptions): Promise<void> {
  if (path !== undefined) throw new Failure('usage', 'With --export, the file is named by --output');
  const { exported } = await import('../apply/export.ts');
  const text = await exported(session.client, options.sites, options.devices === true);
  if (options.output === undefined) return session.write(text, false);
  await writeFile(options.output, text, { flag: 'wx', mode: 0o600 }).catch((error: Error) => {
    throw new Failure('failure', `Cannot write ${options.output}: ${error.message}`);
  });
  session.note(`Hooks are in it with variables of the environment in place of their URLs: ${options.output}`);
}

async function show({ show: print }: Session, steps: readonly PlannedStep[]): Promise<void> {
  await print({ steps }, () => steps.map(textOf).join(''));
}

function titleOf({ kind, site, name, mac }: PlannedStep): string {
  if (kind === 'site') return `site ${site}`;
  return `${site === undefined ? '' : `${site}: `}${kind} ${name ?? mac}`;
}

function textOf(step: PlannedStep): string {
  const lines =
    step.sign === '-' ? [] : step.fields.map(({ field, from, to }) => `      ${field}: ${changeText(step, from, to)}`);
  return [`${step.sign} ${titleOf(step)}`, ...lines, ''].join('\n');
}

function changeText({ sign }: PlannedStep, from: unknown, to: unknown): string {
  return sign === '+' ? valueText(to) : `${valueText(from)} -> ${valueText(to)}`;
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${startOf(text, MAX_VALUE)}…` : text;
}

function summary(steps: readonly PlannedStep[]): string {
  const count = (sign: PlannedStep['sign']) => steps.filter((step) => step.sign === sign).length;
  if (steps.length === 0) return 'All is as the file says.';
  return `${count('+')} to add, ${count('~')} to change, ${count('-')} to remove.`;
}
