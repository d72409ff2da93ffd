/**
 * The commands, and what the first page of the help says of them. What a command has in it is loaded when it is called, so that
 * the program starts at once.
 */
import { TOOL_COMMANDS, TOOL_KEYS } from '../shared/tools/commands.ts';
import type { Command } from './command.ts';

export interface Entry {
  description: string;
  /** Other names, which work but are shown nowhere. */
  aliases?: readonly string[];
  isHidden?: boolean;
  /** Command lines for the help, without `lanreach`. */
  examples?: readonly string[];
  /** Adds arguments, options, commands that are part of it, and the action. */
  load(): Promise<(command: Command) => void>;
}

const TOOLS = Object.fromEntries(
  TOOL_KEYS.map((key): [string, Entry] => {
    const { command, description, example } = TOOL_COMMANDS[key];
    const load = async () => {
      if (key === 'wakeOnLan') return (await import('./commands/wake.ts')).addWakeCommand;
      const { tools } = await import('../shared/tools/list.ts');
      const { addToolCommand } = await import('./commands/nettools.ts');
      return (own: Command) => addToolCommand(own, tools[key]);
    };
    return [command, { description, examples: example === undefined ? [] : [example], load }];
  }),
);

/** By the heading of the help under which they stand, and by their names. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Sites:': {
    status: {
      description: 'show the state of all sites in five lines; "lanreach" alone does the same',
      examples: ['status', 'status --watch'],
      load: async () => (await import('./commands/status.ts')).addStatusCommand,
    },
    overview: {
      description: 'list all sites with their device counts, agents and last change',
      examples: ['overview --columns site,down,new'],
      load: async () => (await import('./commands/overview.ts')).addOverviewCommand,
    },
    site: {
      description: 'manage sites, one for each LAN',
      aliases: ['sites'],
      examples: [
        'site add cabin --name "Cabin by the lake"',
        'site discover cabin on --network 192.168.8.0/24',
        'site tag cabin +customers -test',
      ],
      load: async () => (await import('./commands/sites.ts')).addSiteCommands,
    },
    agent: {
      description: 'manage agents, the programs on the LANs that run commands',
      aliases: ['agents'],
      examples: [
        'agent enrol --site cabin',
        'agent show cabin:main',
        'agent enrol --site cabin --uses 50 --expires 7d',
      ],
      load: async () => (await import('./commands/agents.ts')).addAgentCommands,
    },
    template: {
      description: 'manage templates: settings, schedules, checks and hooks for all sites with a tag',
      aliases: ['templates'],
      examples: ['template show customers'],
      load: async () => (await import('./commands/templates.ts')).addTemplateCommands,
    },
    plan: {
      description: 'compare with a file of sites and templates, or write that file',
      examples: ['plan sites.yaml', 'plan --export --output sites.yaml'],
      load: async () => (await import('./commands/apply.ts')).addPlanCommand,
    },
    apply: {
      description: 'create and change sites and templates by a file',
      examples: ['apply sites.yaml', 'apply sites.yaml --dry-run'],
      load: async () => (await import('./commands/apply.ts')).addApplyCommand,
    },
    update: {
      description: 'show and control the roll-out of agent releases',
      aliases: ['updates'],
      examples: ['update show', 'update continue 0.3.0'],
      load: async () => (await import('./commands/updates.ts')).addUpdateCommands,
    },
  },
  'Devices:': {
    devices: {
      description: 'list, show, edit and import the devices of a site',
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
    search: {
      description: 'search devices of all sites by words, or by an open port',
      examples: ['search nas', 'search :22 synology'],
      load: async () => (await import('./commands/search.ts')).addSearchCommand,
    },
    changes: {
      description: 'summarise the changes of a site by device, the latest first',
      examples: ['changes --since friday'],
      load: async () => (await import('./commands/changes.ts')).addChangesCommand,
    },
  },
  'Monitoring:': {
    report: {
      description: 'report a month or a week: new devices, downtimes, availability, opened ports, speed',
      examples: ['report --sites tag:customers --month 2026-10', 'report --week 2026-W44 --language de'],
      load: async () => (await import('./commands/report.ts')).addReportCommand,
    },
    check: {
      description: 'manage checks, the probes that agents repeat',
      aliases: ['checks'],
      examples: ['check add ping nas --every 5m', 'check list --state down'],
      load: async () => (await import('./commands/checks.ts')).addCheckCommands,
    },
    notifications: {
      description: 'manage notifications of events: e-mail, chat services, ntfy, webhooks',
      aliases: ['notification', 'hooks', 'hook'],
      examples: [
        'notifications add --email me@example.org',
        'notifications add --event new down --url-file ntfy-url.txt --format ntfy',
        'notifications add --email me@example.org --report monthly@07:00 --sites tag:customers --name report',
        'notifications list',
      ],
      load: async () => (await import('./commands/hooks.ts')).addHookCommands,
    },
    'home-assistant': {
      description: 'show devices and sites in Home Assistant, by an MQTT broker, until it is stopped',
      examples: ['home-assistant --broker mqtt://homeassistant.local:1883 --username lanreach'],
      load: async () => (await import('./commands/home-assistant.ts')).addHomeAssistantCommand,
    },
    series: {
      description: 'show measurements over time, with gaps where nothing was measured',
      examples: ['series --device nas --since 7d'],
      load: async () => (await import('./commands/series.ts')).addSeriesCommand,
    },
    schedule: {
      description: 'manage schedules, the tools that run regularly',
      aliases: ['schedules'],
      examples: ["schedule add nightly --tool nmap --arg scan=192.168.1.0/24 --arg mode=fast --cron '0 2 * * *'"],
      load: async () => (await import('./commands/schedules.ts')).addScheduleCommands,
    },
  },
  'On the LAN of a site:': {
    ...TOOLS,
    scan: {
      description: 'scan for devices now (where discovery is on), or scan ports, which "devices ports" then shows',
      examples: ['scan nas', 'scan 192.168.1.0/24 --mode detail'],
      load: async () => (await import('./commands/scan.ts')).addScanCommand,
    },
    scans: {
      description: 'list and cancel scans of large networks',
      examples: ['scans list'],
      load: async () => (await import('./commands/scans.ts')).addScansCommands,
    },
    run: {
      description: 'run a tool at many sites at once, and compare the answers',
      examples: [
        'run nslookup intranet.example.org --sites tag:customers --compare',
        'run nmap 192.168.1.1 --mode fast --sites all --at-once 20 --max-failures 10%',
      ],
      load: async () => (await import('./commands/run.ts')).addRunCommands,
    },
    batches: {
      description: 'list, compare and cancel batches, which "run" starts',
      aliases: ['batch'],
      examples: ['batches list', 'batches show 01934c1e-5f00-7a11-8a22-0123456789ab --compare'],
      load: async () => (await import('./commands/batches.ts')).addBatchesCommands,
    },
    runs: {
      description: 'list the commands that ran on the LANs, with their output',
      aliases: ['job', 'jobs'],
      examples: [
        'runs list --state failed',
        'runs list --about 192.168.1.20',
        'runs show home.0199',
        'runs export --since 30d --output runs.csv',
      ],
      load: async () => (await import('./commands/jobs.ts')).addJobCommands,
    },
  },
  'Access:': {
    token: {
      description: 'manage tokens, their scopes and sites',
      aliases: ['tokens'],
      examples: ['token create --name dashboard --scope devices:read --site cabin --expires 90d'],
      load: async () => (await import('./commands/tokens.ts')).addTokenCommands,
    },
    share: {
      description: 'manage links that show the state of a site to anyone who has one',
      aliases: ['shares'],
      examples: ['share add home', 'share add tag:customers --name Shops --expires 90d', 'share list'],
      load: async () => (await import('./commands/share.ts')).addShareCommands,
    },
    people: {
      description: 'manage people who sign in with the identity provider, and their roles',
      aliases: ['person'],
      examples: [
        'people grant ada@example.org --role operator --sites tag:customers',
        'people disable ada@example.org',
      ],
      load: async () => (await import('./commands/people.ts')).addPeopleCommands,
    },
    audit: {
      description: 'list who did what on a site, when, and from which address',
      examples: ['audit list --by anna --since friday', 'audit list --device nas', 'audit export --output audit.csv'],
      load: async () => (await import('./commands/audit.ts')).addAuditCommands,
    },
  },
  'Services:': {
    login: {
      description: 'sign in to a service, by browser or with a token, and make it the default',
      examples: ['login --url https://lanreach.example.com'],
      load: async () => (await import('./commands/login.ts')).addLoginCommand,
    },
    logout: {
      description: 'remove a profile; a token that the login has created is revoked',
      load: async () => (await import('./commands/login.ts')).addLogoutCommand,
    },
    profile: {
      description: 'list and switch profiles, one for each service',
      aliases: ['profiles'],
      examples: ['profile use home'],
      load: async () => (await import('./commands/login.ts')).addProfileCommands,
    },
    whoami: {
      description: 'show the service and token in use, and the rights of the token',
      load: async () => (await import('./commands/whoami.ts')).addWhoamiCommand,
    },
    api: {
      description: 'send any request of the API, and print the answer',
      examples: [
        'api GET /devices/totals/named',
        'api PATCH /devices/00:1E:06:AA:BB:01 -f devName=nas -F devFavorite=1',
      ],
      load: async () => (await import('./commands/api.ts')).addApiCommand,
    },
    open: {
      description: 'open the web console in the browser, signed in',
      examples: ['open --site cabin'],
      load: async () => (await import('./commands/open.ts')).addOpenCommand,
    },
    backup: {
      description: 'back up a whole system on one machine into one file, while it runs',
      examples: ['backup --encrypt --output lanreach.tar.gz.age'],
      load: async () => (await import('./commands/backup.ts')).addBackupCommand,
    },
    restore: {
      description: 'restore a backup into a data folder',
      examples: ['restore lanreach.tar.gz.age --data /var/lib/lanreach'],
      load: async () => (await import('./commands/restore.ts')).addRestoreCommand,
    },
    completion: {
      description: 'print the completion script for a shell',
      load: async () => (await import('./commands/completion.ts')).addCompletionCommand,
    },
    complete: {
      description: '',
      isHidden: true,
      load: async () => (await import('./commands/completion.ts')).addCompleteCommand,
    },
  },
};
