/** The command line: every command, its options and its help. */
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { tools } from '../shared/tools/list.ts';
import type { AnyTool } from '../shared/tools/tool.ts';
import { addAgentCommands } from './commands/agents.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBackupCommand } from './commands/backup.ts';
import { addChangesCommand } from './commands/changes.ts';
import { addCheckCommands } from './commands/checks.ts';
import { addCompletionCommands } from './commands/completion.ts';
import { addDeviceCommands } from './commands/devices.ts';
import { addHookCommands } from './commands/hooks.ts';
import { addJobCommands } from './commands/jobs.ts';
import { addLoginCommands } from './commands/login.ts';
import { addNettoolCommands } from './commands/nettools.ts';
import { addOpenCommand } from './commands/open.ts';
import { addOverviewCommand } from './commands/overview.ts';
import { addRestoreCommand } from './commands/restore.ts';
import { addScanCommand } from './commands/scan.ts';
import { addScansCommands } from './commands/scans.ts';
import { addScheduleCommands } from './commands/schedules.ts';
import { addSeriesCommand } from './commands/series.ts';
import { addSiteCommands } from './commands/sites.ts';
import { addTokenCommands } from './commands/tokens.ts';
import { addUpdateCommands } from './commands/updates.ts';
import { addWakeCommand } from './commands/wake.ts';
import { addWhoamiCommand } from './commands/whoami.ts';

const HELP_AFTER = `
Where the API is:    --url, --profile, LANREACH_URL, the profile in use, http://127.0.0.1:8787
The token comes from --token-file, --token-stdin, --profile, LANREACH_TOKEN, the profile in use or, for an API on this
host, from .lanreach/api-token (in LANREACH_DATA, if that is set). It is never an argument.
The profile in use is that of LANREACH_PROFILE, or the last "lanreach login"; kept in lanreach/config.json in
$XDG_CONFIG_HOME or ~/.config.

Results go to standard output, everything else to standard error.
Exit codes: 0 done, 1 failure, 2 wrong usage, 3 not authorized, 4 not found, 5 agent offline

Examples:
  lanreach login --url https://lanreach.example.com
  lanreach open --site cabin
  lanreach site add cabin --name "Cabin by the lake"
  lanreach agent enrol --site cabin
  lanreach agent revoke cabin:main
  lanreach token create --name dashboard --scope devices:read --site cabin --expires 90d
  lanreach overview
  lanreach devices list --status down
  lanreach devices set nas --owner me --alert-down on
  lanreach scan nas
  lanreach devices ports nas
  lanreach series --device nas --since 7d
  lanreach devices events --type new,down --follow
  lanreach changes --since friday
  lanreach check add ping nas --every 5m
  lanreach check list --state down
  lanreach hooks add --event new down --url-file ntfy-url.txt --format ntfy
${toolExamples()}
  lanreach schedule add nightly --tool nmap --arg scan=192.168.1.0/24 --arg mode=fast --cron '0 2 * * *'
  lanreach job list --state failed
  lanreach backup --encrypt --output lanreach.tar.gz.age
  lanreach restore lanreach.tar.gz.age --data /var/lib/lanreach
`;

function toolExamples(): string {
  const lines = Object.values<AnyTool>(tools).map(({ cli }) => cli.example);
  return lines.flatMap((line) => (line === undefined ? [] : [`  lanreach ${line}`])).join('\n');
}

/** Throws a CommanderError instead of ending the process. */
export function buildProgram(): Command {
  const program = new Command('lanreach')
    .description('The devices of many LANs, and network diagnostics that run inside them.')
    .version(packageJson.version)
    .option('--profile <profile>', 'the service to use, as "profile list" shows it')
    .option('--url <url>', 'where the API is')
    .option('--token-file <file>', 'read the token from a file')
    .option('--token-stdin', 'read the token from standard input')
    .option('--json', 'print what the API answered, as JSON')
    .addHelpText('after', HELP_AFTER)
    // Set before the sub-commands are added, because they copy these settings.
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('See --help')
    .exitOverride();
  addOverviewCommand(program);
  addSiteCommands(program);
  addAgentCommands(program);
  addUpdateCommands(program);
  addTokenCommands(program);
  addAuditCommands(program);
  addDeviceCommands(program);
  addSeriesCommand(program);
  addChangesCommand(program);
  addCheckCommands(program);
  addHookCommands(program);
  addWakeCommand(program);
  addNettoolCommands(program);
  addScanCommand(program);
  addScansCommands(program);
  addScheduleCommands(program);
  addJobCommands(program);
  addLoginCommands(program);
  addWhoamiCommand(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addOpenCommand(program);
  addCompletionCommands(program);
  return program;
}
