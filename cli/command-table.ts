/**
 * The commands, and what the first page of the help says of them. What a command has in it is loaded when it is called, so that
 * the program starts at once.
 */
import type { Command } from 'commander';
import { TOOL_COMMANDS, TOOL_KEYS } from '../shared/tools/commands.ts';

export interface Entry {
  name: string;
  description: string;
  /** The heading of the help under which it stands. */
  group: string;
  /** Other names, which work but are shown nowhere. */
  aliases?: readonly string[];
  isHidden?: boolean;
  /** Command lines for the help, without `lanreach`. */
  examples?: readonly string[];
  /** Adds arguments, options, commands that are part of it, and the action. */
  load(): Promise<(command: Command) => void>;
}

const SITES = 'Sites:';
const DEVICES = 'Devices:';
const MONITORING = 'Monitoring:';
const ON_THE_LAN = 'On the LAN of a site:';
const ACCESS = 'Access:';
const SERVICES = 'Services:';

const TOOLS = TOOL_KEYS.map((key): Entry => {
  const { command, description, example } = TOOL_COMMANDS[key];
  return {
    name: command,
    description,
    group: ON_THE_LAN,
    examples: example === undefined ? [] : [example],
    async load() {
      if (key === 'wakeOnLan') return (await import('./commands/wake.ts')).addWakeCommand;
      const [{ tools }, { addToolCommand }] = await Promise.all([
        import('../shared/tools/list.ts'),
        import('./commands/nettools.ts'),
      ]);
      return (own) => addToolCommand(own, tools[key]);
    },
  };
});

export const ENTRIES: readonly Entry[] = [
  {
    name: 'status',
    description: 'show the state of all sites in five lines; "lanreach" alone does the same',
    group: SITES,
    examples: ['status', 'status --watch'],
    load: async () => (await import('./commands/status.ts')).addStatusCommand,
  },
  {
    name: 'overview',
    description: 'list all sites with their device counts, agents and last change',
    group: SITES,
    examples: ['overview --columns site,down,new'],
    load: async () => (await import('./commands/overview.ts')).addOverviewCommand,
  },
  {
    name: 'site',
    description: 'manage sites, one for each LAN',
    group: SITES,
    aliases: ['sites'],
    examples: [
      'site add cabin --name "Cabin by the lake"',
      'site discover cabin on --network 192.168.8.0/24',
      'site tag cabin +customers -test',
    ],
    load: async () => (await import('./commands/sites.ts')).addSiteCommands,
  },
  {
    name: 'agent',
    description: 'manage agents, the programs on the LANs that run commands',
    group: SITES,
    aliases: ['agents'],
    examples: ['agent enrol --site cabin', 'agent show cabin:main', 'agent enrol --site cabin --uses 50 --expires 7d'],
    load: async () => (await import('./commands/agents.ts')).addAgentCommands,
  },
  {
    name: 'template',
    description: 'manage templates: settings, schedules, checks and hooks for all sites with a tag',
    group: SITES,
    aliases: ['templates'],
    examples: ['template show customers'],
    load: async () => (await import('./commands/templates.ts')).addTemplateCommands,
  },
  {
    name: 'plan',
    description: 'compare with a file of sites and templates, or write that file',
    group: SITES,
    examples: ['plan sites.yaml', 'plan --export --output sites.yaml'],
    load: async () => (await import('./commands/apply.ts')).addPlanCommand,
  },
  {
    name: 'apply',
    description: 'create and change sites and templates by a file',
    group: SITES,
    examples: ['apply sites.yaml', 'apply sites.yaml --dry-run'],
    load: async () => (await import('./commands/apply.ts')).addApplyCommand,
  },
  {
    name: 'update',
    description: 'show and control the roll-out of agent releases',
    group: SITES,
    aliases: ['updates'],
    examples: ['update show', 'update continue 0.3.0'],
    load: async () => (await import('./commands/updates.ts')).addUpdateCommands,
  },
  {
    name: 'devices',
    description: 'list, show, edit and import the devices of a site',
    group: DEVICES,
    aliases: ['device'],
    examples: [
      'devices list --status down',
      'devices list --json name,ip,vendor',
      'devices list --port 22',
      'devices show nas',
      'devices set nas --owner me --alert-down on',
      'devices ports nas --diff 7d',
      'devices events --type new,down --since friday',
      'devices watch',
    ],
    load: async () => (await import('./commands/devices.ts')).addDeviceCommands,
  },
  {
    name: 'search',
    description: 'search devices of all sites by words, or by an open port',
    group: DEVICES,
    examples: ['search nas', 'search :22 synology'],
    load: async () => (await import('./commands/search.ts')).addSearchCommand,
  },
  {
    name: 'changes',
    description: 'summarise the changes of a site by device, the latest first',
    group: DEVICES,
    examples: ['changes --since friday'],
    load: async () => (await import('./commands/changes.ts')).addChangesCommand,
  },
  {
    name: 'check',
    description: 'manage checks, the probes that agents repeat',
    group: MONITORING,
    aliases: ['checks'],
    examples: ['check add ping nas --every 5m', 'check list --state down'],
    load: async () => (await import('./commands/checks.ts')).addCheckCommands,
  },
  {
    name: 'notifications',
    description: 'manage notifications of events: chat services, ntfy, webhooks',
    group: MONITORING,
    aliases: ['notification', 'hooks', 'hook'],
    examples: ['notifications add --event new down --url-file ntfy-url.txt --format ntfy', 'notifications list'],
    load: async () => (await import('./commands/hooks.ts')).addHookCommands,
  },
  {
    name: 'series',
    description: 'show measurements over time, with gaps where nothing was measured',
    group: MONITORING,
    examples: ['series --device nas --since 7d'],
    load: async () => (await import('./commands/series.ts')).addSeriesCommand,
  },
  {
    name: 'schedule',
    description: 'manage schedules, the tools that run regularly',
    group: MONITORING,
    aliases: ['schedules'],
    examples: ["schedule add nightly --tool nmap --arg scan=192.168.1.0/24 --arg mode=fast --cron '0 2 * * *'"],
    load: async () => (await import('./commands/schedules.ts')).addScheduleCommands,
  },
  ...TOOLS,
  {
    name: 'scan',
    description: 'scan for devices now (where discovery is on), or scan ports, which "devices ports" then shows',
    group: ON_THE_LAN,
    examples: ['scan nas', 'scan 192.168.1.0/24 --mode detail'],
    load: async () => (await import('./commands/scan.ts')).addScanCommand,
  },
  {
    name: 'scans',
    description: 'list and cancel scans of large networks',
    group: ON_THE_LAN,
    examples: ['scans list'],
    load: async () => (await import('./commands/scans.ts')).addScansCommands,
  },
  {
    name: 'run',
    description: 'run a tool at many sites at once, and compare the answers',
    group: ON_THE_LAN,
    examples: [
      'run nslookup intranet.example.org --sites tag:customers --compare',
      'run nmap 192.168.1.1 --mode fast --sites all --at-once 20 --max-failures 10%',
    ],
    load: async () => (await import('./commands/run.ts')).addRunCommands,
  },
  {
    name: 'batches',
    description: 'list, compare and cancel batches, which "run" starts',
    group: ON_THE_LAN,
    aliases: ['batch'],
    examples: ['batches list', 'batches show 01934c1e-5f00-7a11-8a22-0123456789ab --compare'],
    load: async () => (await import('./commands/batches.ts')).addBatchesCommands,
  },
  {
    name: 'runs',
    description: 'list the commands that ran on the LANs, with their output',
    group: ON_THE_LAN,
    aliases: ['job', 'jobs'],
    examples: [
      'runs list --state failed',
      'runs list --about 192.168.1.20',
      'runs show home.0199',
      'runs export --since 30d --output runs.csv',
    ],
    load: async () => (await import('./commands/jobs.ts')).addJobCommands,
  },
  {
    name: 'token',
    description: 'manage tokens, their scopes and sites',
    group: ACCESS,
    aliases: ['tokens'],
    examples: ['token create --name dashboard --scope devices:read --site cabin --expires 90d'],
    load: async () => (await import('./commands/tokens.ts')).addTokenCommands,
  },
  {
    name: 'people',
    description: 'manage people who sign in with the identity provider, and their roles',
    group: ACCESS,
    aliases: ['person'],
    examples: ['people grant ada@example.org --role operator --sites tag:customers', 'people disable ada@example.org'],
    load: async () => (await import('./commands/people.ts')).addPeopleCommands,
  },
  {
    name: 'audit',
    description: 'list who did what on a site, when, and from which address',
    group: ACCESS,
    examples: ['audit list --by anna --since friday', 'audit list --device nas', 'audit export --output audit.csv'],
    load: async () => (await import('./commands/audit.ts')).addAuditCommands,
  },
  {
    name: 'login',
    description: 'sign in to a service, by browser or with a token, and make it the default',
    group: SERVICES,
    examples: ['login --url https://lanreach.example.com'],
    load: async () => (await import('./commands/login.ts')).addLoginCommand,
  },
  {
    name: 'logout',
    description: 'remove a profile; a token that the login has created is revoked',
    group: SERVICES,
    load: async () => (await import('./commands/login.ts')).addLogoutCommand,
  },
  {
    name: 'profile',
    description: 'list and switch profiles, one for each service',
    group: SERVICES,
    aliases: ['profiles'],
    examples: ['profile use home'],
    load: async () => (await import('./commands/login.ts')).addProfileCommands,
  },
  {
    name: 'whoami',
    description: 'show the service and token in use, and the rights of the token',
    group: SERVICES,
    load: async () => (await import('./commands/whoami.ts')).addWhoamiCommand,
  },
  {
    name: 'api',
    description: 'send any request of the API, and print the answer',
    group: SERVICES,
    examples: ['api GET /devices/totals/named', 'api PATCH /devices/00:1E:06:AA:BB:01 -f devName=nas -F devFavorite=1'],
    load: async () => (await import('./commands/api.ts')).addApiCommand,
  },
  {
    name: 'open',
    description: 'open the web console in the browser, signed in',
    group: SERVICES,
    examples: ['open --site cabin'],
    load: async () => (await import('./commands/open.ts')).addOpenCommand,
  },
  {
    name: 'backup',
    description: 'back up a whole system on one machine into one file, while it runs',
    group: SERVICES,
    examples: ['backup --encrypt --output lanreach.tar.gz.age'],
    load: async () => (await import('./commands/backup.ts')).addBackupCommand,
  },
  {
    name: 'restore',
    description: 'restore a backup into a data folder',
    group: SERVICES,
    examples: ['restore lanreach.tar.gz.age --data /var/lib/lanreach'],
    load: async () => (await import('./commands/restore.ts')).addRestoreCommand,
  },
  {
    name: 'completion',
    description: 'print the completion script for a shell',
    group: SERVICES,
    load: async () => (await import('./commands/completion.ts')).addCompletionCommand,
  },
  {
    name: 'complete',
    description: '',
    group: SERVICES,
    isHidden: true,
    load: async () => (await import('./commands/completion.ts')).addCompleteCommand,
  },
];
