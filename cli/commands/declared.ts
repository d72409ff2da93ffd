/** `lanreach plan` and `lanreach apply`: sites and templates as a file says them. */
import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { planOf, type Step } from '../../shared/declared/plan.ts';
import { isSame } from '../../shared/declared/settings.ts';
import { startOf } from '../../shared/text.ts';
import { Failure, failureOf } from '../client/failure.ts';
import { confirm } from '../client/question.ts';
import { openSession, type Session } from '../client/session.ts';
import { carryOut } from '../declared/carry-out.ts';
import { type ByHand, readByHand } from '../declared/read-by-hand.ts';
import { readDeclared } from '../declared/read-file.ts';
import { readPresent } from '../declared/read-present.ts';
import { type YesOption, yesOption } from './yes-option.ts';

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
    .addOption(new Option('--sites <sites>', 'with --export: only these, such as home,tag:customers'))
    .option('--devices', 'with --export: also what is said of devices')
    .option('--output <file>', 'with --export: into this file')
    .addHelpText('after', '\nExit codes: 0 all is as the file says, 2 something is to be done, 1 failure')
    .action(async (path: string | undefined, options: PlanOptions, command: Command) => {
      const session = openSession(command);
      if (options.export) return writeExport(session, path, options);
      if (path === undefined) throw new Failure('usage', 'Which file? Or --export, to write one');
      const file = await readDeclared(session.world, path);
      const present = await readPresent(session.client, file);
      const steps = planOf(file, present);
      await show(session, steps);
      noteByHand(session, await readByHand(session.client, file, present));
      session.note(summary(steps));
      if (steps.length > 0) session.world.exitCode = DIFFERS;
    });
}

export function addApplyCommand(own: Command): void {
  own
    .argument('<file>', 'YAML or JSON; - reads standard input')
    .option('--dry-run', 'change nothing, only say what would be done')
    .addOption(yesOption())
    .action(async (path: string, { dryRun, yes }: YesOption & { dryRun?: boolean }, command: Command) => {
      const session = openSession(command);
      const { client, world, note } = session;
      const file = await readDeclared(world, path);
      const steps = planOf(file, await readPresent(client, file));
      if (dryRun || steps.length === 0) {
        await show(session, steps);
        return note(summary(steps));
      }
      // With JSON the answer is what was done.
      if (!session.isJson) await show(session, steps);
      await confirm(world, `${summary(steps)} Apply this?`, yes);
      if (!yes && !isSame(steps, planOf(file, await readPresent(client, file))))
        throw new Failure('failure', 'Somebody has changed something since the plan was shown. Nothing was done.');
      const { done, stopped, secrets, notes } = await carryOut(client, steps);
      if (session.isJson) await session.show({ steps: steps.map(shown), done, secrets }, () => '');
      for (const [hook, secret] of Object.entries(secrets)) note(`The secret of ${hook}, shown once: ${secret}`);
      for (const one of notes) note(one);
      if (stopped === null) return note(`Applied: ${done} of ${steps.length}.`);
      const why = failureOf(stopped.error, command)?.message ?? stopped.error.message;
      const rest = `${done} of ${steps.length} were done before it, and nothing after it. "lanreach plan" shows what is left.`;
      throw new Failure('failure', `${titleOf(stopped.step)}: ${why}\n${rest}`);
    });
}

async function writeExport(session: Session, path: string | undefined, options: PlanOptions): Promise<void> {
  if (path !== undefined) throw new Failure('usage', 'With --export, the file is named by --output');
  const { exported } = await import('../declared/export.ts');
  const text = await exported(session.client, options.sites, options.devices === true);
  if (options.output === undefined) return session.write(text, false);
  await writeFile(options.output, text, { flag: 'wx', mode: 0o600 }).catch((error: Error) => {
    throw new Failure('failure', `Cannot write ${options.output}: ${error.message}`);
  });
  session.note(`Hooks are in it with variables of the environment in place of their URLs: ${options.output}`);
}

function noteByHand({ note }: Session, all: readonly ByHand[]): void {
  for (const { site, setting, own, template, other } of all.slice(0, MOST_NOTED))
    note(`${site} keeps its own ${setting} ${valueText(own)}; the template ${template} says ${valueText(other)}`);
  if (all.length > MOST_NOTED) note(`and ${all.length - MOST_NOTED} more; "lanreach template show" has all`);
}

async function show({ show: print }: Session, steps: readonly Step[]): Promise<void> {
  await print({ steps: steps.map(shown) }, () => steps.map(textOf).join(''));
}

/** Without what is sent, in which secrets may be. */
function shown(step: Step): object {
  const { sign, kind, fields } = step;
  const site = 'site' in step ? { site: step.site } : {};
  return {
    sign,
    kind,
    ...site,
    ...('name' in step ? { name: step.name } : {}),
    ...('mac' in step ? { mac: step.mac } : {}),
    fields,
  };
}

function titleOf(step: Step): string {
  switch (step.kind) {
    case 'site':
      return `site ${step.site}`;
    case 'template':
      return `template ${step.name}`;
    case 'device':
      return `${step.site}: device ${step.mac}`;
    default:
      return `${step.site}: ${step.kind} ${step.name}`;
  }
}

function textOf(step: Step): string {
  const lines =
    step.sign === '-' ? [] : step.fields.map(({ field, from, to }) => `      ${field}: ${changeText(step, from, to)}`);
  return [`${step.sign} ${titleOf(step)}`, ...lines, ''].join('\n');
}

function changeText({ sign }: Step, from: unknown, to: unknown): string {
  return sign === '+' ? valueText(to) : `${valueText(from)} -> ${valueText(to)}`;
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${startOf(text, MAX_VALUE)}…` : text;
}

function summary(steps: readonly Step[]): string {
  const count = (sign: Step['sign']) => steps.filter((step) => step.sign === sign).length;
  if (steps.length === 0) return 'All is as the file says.';
  return `${count('+')} to add, ${count('~')} to change, ${count('-')} to remove.`;
}
