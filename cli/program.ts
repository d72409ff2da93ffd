/** The command line: every command, its options and its help. */
import { Help } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { setWorld, type World } from './client/world.ts';
import { Command } from './command.ts';
import { type Entry, GROUPS } from './command-table.ts';
import { listFrom } from './option-values.ts';

const HELP_AFTER = `
Examples:
  lanreach                                        the state of all sites
  lanreach login --url https://lanreach.example.com
  lanreach devices list --status down
  lanreach wake nas --wait
  lanreach changes --since friday
  lanreach devices list --json name,ip --jq '.[].ip'

"lanreach <command> --help" has more of them. Results go to standard output, everything else to standard error.
The service is that of --url, --profile, LANREACH_URL, the profile of the last login, or http://127.0.0.1:8787.
The token is that of --token-file, --token-stdin, LANREACH_TOKEN, the profile, or beside a service on this host
.lanreach/api-token (in LANREACH_DATA, if that is set). Profiles: lanreach/config.json in $XDG_CONFIG_HOME or ~/.config.
Exit codes: 0 done, 1 failure, 2 wrong usage, 3 not authorized, 4 not found, 5 agent offline
`;

/** Throws a CommanderError instead of ending the process. */
export function buildProgram(world: World): Command {
  const program = new Command('lanreach')
    .description('The devices of many LANs, and network diagnostics that run inside them.')
    .version(packageJson.version)
    .option('--profile <profile>', 'the service to use, as "profile list" shows it')
    .option('--url <url>', 'where the API is')
    .option('--token-file <file>', 'read the token from a file')
    .option('--token-stdin', 'read the token from standard input')
    .option('--json [fields]', 'print the answer of the API as JSON, or of it name,ip (of one field: --json=name)')
    .option('--jq <filter>', 'print what a filter of jq makes of that JSON')
    .option('--columns <names>', 'only these columns of a table, such as name,ip', (text: string) =>
      listFrom(text.toLowerCase()),
    )
    .addHelpText('after', HELP_AFTER)
    // Set before the sub-commands are added, because they copy these settings.
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf, formatHelp })
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => void world.stderr.write(text),
      getOutHelpWidth: () => world.stdout.columns ?? 80,
      getErrHelpWidth: () => world.stderr.columns ?? 80,
    })
    .helpCommand(false) // `run` takes it for --help.
    .showHelpAfterError('See --help')
    .exitOverride();
  setWorld(program, world);
  for (const [heading, entries] of Object.entries(GROUPS)) {
    for (const [name, entry] of Object.entries(entries)) addEntry(program, heading, name, entry);
  }
  program.hook('preSubcommand', (_program, command) => (command as Command).complete());
  return program;
}

function addEntry(program: Command, heading: string, name: string, entry: Entry): void {
  const { description, aliases = [], examples = [], isHidden = false, load } = entry;
  const command = program.part(name, description, { hidden: isHidden });
  command.aliases([...aliases]).helpGroup(heading);
  command.fill = async () => {
    (await load())(command);
    addExamples(command, examples);
  };
}

/** Behind the help of a command stand those of its examples that begin with it. */
function addExamples(command: Command, examples: readonly string[], path = command.name()): void {
  const own = examples.filter((example) => `${example} `.startsWith(`${path} `));
  if (own.length > 0) {
    const lines = own.map((example) => `  lanreach ${example}`);
    command.addHelpText('after', `\n${own.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`);
  }
  for (const part of command.commands) addExamples(part, own, `${path} ${part.name()}`);
}

/** Without other names of the command. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  return [command.name(), ...words].join(' ');
}

const GLOBAL_OPTIONS = /^Global Options:\n(?:.+\n)+\n?/m;

/** The options of all commands stand last: those of the command itself are what a reader looks for. */
function formatHelp(this: Help, command: Command, helper: Help): string {
  const text = Help.prototype.formatHelp.call(this, command, helper);
  const [inherited = ''] = GLOBAL_OPTIONS.exec(text) ?? [];
  return inherited === '' ? text : `${text.replace(inherited, '').trimEnd()}\n\n${inherited.trimEnd()}\n`;
}
