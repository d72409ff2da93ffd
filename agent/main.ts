/** `lanreach-agent`: the command line of the agent. */
import './v8-flags.ts';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { destination, type Logger, pino } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { LOCK_WAIT_MS } from '../shared/agent/timing.ts';
import { OtherFormat } from '../shared/format.ts';
import { startAgent } from './agent.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { watchLauncher } from './host/launcher.ts';
import { IdentityError, readIdentities } from './identity/identity.ts';
import { Renewal } from './identity/renewal.ts';
import { readPolicy } from './jobs/policy.ts';
import { START_AGAIN } from './launch/launch.ts';
import { endpointOf } from './link/session.ts';
import { snmpPath } from './recognition/snmp-file.ts';
import { SettingsError } from './sources/settings.ts';
import { lockDirectory } from './state/lock.ts';
import { OwnershipError, prepareStateDirectory, requireOwnStateDirectory } from './state/ownership.ts';
import { runTool } from './tools/registry.ts';
import { fetchRelease } from './update/fetch-release.ts';

const HELP = `Usage:
  lanreach-agent [run]                       connect to the broker and serve the site
  lanreach-agent enrol <code> --url <URL>    exchange an enrolment code for an identity, and connect once to prove it;
                                             "-" reads the code from standard input. With a code for several hosts, the
                                             agent is named after this one, or as --name <name> says
  lanreach-agent source [add | test | list | remove | kinds]
                                             the DHCP servers, routers and controllers that this agent reads;
                                             see lanreach-agent source --help
  lanreach-agent doctor [--url <URL>]        check this host, and recommend what to do; --json for programs
  lanreach-agent uninstall                   remove what the agent has stored, its identity too
  lanreach-agent --help | --version

Environment:
  LANREACH_AGENT_DATA        state directory, an absolute path
                             (root: /var/lib/lanreach-agent; others: $XDG_STATE_HOME or ~/.local/state, /lanreach-agent)
  LANREACH_BROKER            mqtts://<host>[:<port>] instead of the broker that the enrolment named
  LANREACH_API               URL of the API, to renew the certificate there instead of where the agent was enrolled
  LANREACH_POLICY            policy file (default: policy.json in the state directory, if there is one)
  LANREACH_SNMP              file with credentials for SNMP (default: snmp.json in the state directory, if there is one)
  LANREACH_LOG_LEVEL         trace, debug, info, warn, error, fatal or silent (default: info)
  LANREACH_EXIT_WITH_PARENT  1: end when standard input ends
  LANREACH_RESTARTED         yes: something starts the agent again whenever it ends, so that it can replace itself by
                             newer versions
  LANREACH_TRIAL_SECONDS     within which time a newer version has to be found healthy (default: 600)
  LANREACH_SETTLE_SECONDS    how long it has to be healthy for that (default: 60)
  INTERNET_INFO_URL          answers JSON with ip, city, country and org
  SPEEDTEST_SERVER           base URL of a LibreSpeed-compatible server
`;

/** How long running commands may continue when the agent is stopped. */
const STOP_GRACE_MS = 10_000;
const CODE_BYTES = 1_000;

class UsageError extends Error {
  override name = 'UsageError';
}

async function main(args: string[]): Promise<void> {
  if (args[0] === 'source') {
    // Imported lazily: a running agent does not need it.
    const { sourceCommand } = await import('./sources/source-command.ts');
    return sourceCommand(args.slice(1), readConfig());
  }
  const { values, positionals } = parse(args);
  if (values.help) return print(HELP);
  if (values.version) return print(`${packageJson.version}\n`);
  const [command = 'run', ...rest] = positionals;
  if (command === 'enrol') return enrolCommand(rest, values, readConfig());
  if (!['run', 'doctor', 'uninstall'].includes(command)) throw new UsageError(`there is no command "${command}"`);
  if (rest.length > 0) throw new UsageError(`${command} takes no argument, but got "${rest.join(' ')}"`);
  if (command === 'run') return run(readConfig());
  if (command === 'doctor') return runDoctor(readConfig(), values.url, values.json);
  return uninstall(readConfig());
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        url: { type: 'string' },
        name: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function run(config: Config): Promise<void> {
  const { stateDirectory } = config;
  await requireOwnStateDirectory(stateDirectory);
  // Fails at once on a host that is not enrolled, before anything is written.
  await readIdentities(stateDirectory);
  const policy = await readPolicy(stateDirectory, config.policyFile);
  await prepareStateDirectory(stateDirectory);
  const processLog = pino({ level: config.logLevel, base: null }, destination({ dest: 2, sync: true }));
  const lock = await lockDirectory(stateDirectory, LOCK_WAIT_MS, {
    onWait: (holder) => processLog.warn(`${holder}; waiting up to ${LOCK_WAIT_MS / 1000} s for its end`),
  });
  const identities = await readIdentities(stateDirectory);
  const { stage, agent: id } = identities.current;
  const log = processLog.child({ agentId: id });
  const renewal = new Renewal(stateDirectory, identities, config.api, log);
  const agent = await startAgent({
    stage,
    agent: id,
    dial() {
      const identity = renewal.identityToUse();
      return endpointOf(identity, config.broker ?? identity.broker);
    },
    onConnected: ({ cert }) => renewal.connected(String(cert)),
    stateDirectory,
    lock,
    policy,
    snmpFile: snmpPath(stateDirectory, config.snmpFile),
    runTool,
    internetInfoUrl: config.internetInfoUrl,
    speedtestServer: config.speedtestServer,
    version: packageJson.version,
    updates: {
      // A package that was built without a release key takes no update.
      able: config.launch !== null && existsSync(config.launch.key) && config.isRestarted && !config.isStartedByNpm,
      settleMs: config.launch?.settleMs ?? null,
      fetch: (version, signal) =>
        fetchRelease(
          {
            api: config.api ?? identities.current.api,
            keyFile: config.launch?.key ?? '',
            identity: renewal.identityInUse(),
          },
          { version, running: packageJson.version, node: process.versions.node },
          signal,
        ),
      onInstalled: () => stop(STOP_GRACE_MS, START_AGAIN),
    },
    log,
  });
  void renewal.start(agent);
  function stop(graceMs: number, status = 0): void {
    renewal.stop();
    agent.stop(graceMs).then(
      () => process.exit(status),
      (error) => crash(log, error),
    );
  }
  process.on('SIGTERM', () => stop(STOP_GRACE_MS));
  process.on('SIGINT', () => stop(STOP_GRACE_MS));
  if (config.isStartedByNpm) watchLauncher(() => stop(STOP_GRACE_MS));
  // All asynchronous failures have an owner: the broker connection `link/session.ts`, messages `receive.ts`, commands
  // `jobs/serve.ts`, programs `host/run-process.ts`, discovery `discovery/watcher.ts`, sockets the code that opens them.
  // Anything that arrives here is a defect. A rejection does not leave the agent in an unknown state.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => crash(log, error));
  if (config.exitWithParent) {
    // The parent process is gone, very likely together with the broker and the callers.
    process.stdin.on('end', () => stop(0)).on('error', () => stop(0));
    process.stdin.resume();
  }
}

/** Exits at once; on the next start, the journal shows which requests were interrupted. */
function crash(log: Logger, error: unknown): never {
  log.fatal({ err: error }, 'the agent has crashed');
  process.exit(1);
}

async function enrolCommand([code, ...rest]: string[], { url, name }: { url?: string; name?: string }, config: Config) {
  if (code === undefined || rest.length > 0)
    throw new UsageError('enrol expects one argument: the enrolment code, or - to read it from standard input');
  if (url === undefined) throw new UsageError('enrol requires --url with the URL of the API');
  checkUrl(url);
  // Imported lazily: a running agent does not need it.
  const { enrolAndConnect } = await import('./identity/enrol-command.ts');
  await enrolAndConnect(code === '-' ? codeFromStdin() : code, url, { ...config, name }, (line) => print(`${line}\n`));
}

async function runDoctor(config: Config, url: string | undefined, asJson: boolean): Promise<void> {
  if (url !== undefined) checkUrl(url);
  const { examine, formatFinding, formatReport, isFit } = await import('./doctor/doctor.ts');
  const findings = [];
  for await (const finding of examine(config, url ?? null)) {
    findings.push(finding);
    if (!asJson) print(formatFinding(finding));
  }
  if (asJson) print(formatReport(findings));
  if (!isFit(findings)) process.exitCode = 1;
}

async function uninstall({ stateDirectory }: Config): Promise<void> {
  const { removeState } = await import('./state/uninstall.ts');
  const left = await removeState(stateDirectory);
  if (left.length === 0) return print(`Nothing of the agent is left in ${stateDirectory}.\n`);
  throw new Error(`${stateDirectory} is kept, because it holds files that are not the agent's: ${left.join(', ')}`);
}

function checkUrl(url: string): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--url: expected an http:// or https:// URL, but got "${url}"`);
  }
}

function codeFromStdin(): string {
  const code = readFileSync(0).subarray(0, CODE_BYTES).toString('utf8').trim();
  if (code === '') throw new UsageError('standard input is empty; expected the enrolment code');
  return code;
}

function print(text: string): void {
  process.stdout.write(text);
}

/** These need a change by the operator before another attempt can succeed: exit code 2, and no restart. */
const NEEDS_OPERATOR = [UsageError, ConfigError, IdentityError, OwnershipError, OtherFormat, SettingsError];

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`lanreach-agent: ${error instanceof Error ? error.message : error}\n`);
  if (error instanceof UsageError) process.stderr.write('See lanreach-agent --help\n');
  process.exitCode = NEEDS_OPERATOR.some((kind) => error instanceof kind) ? 2 : 1;
});
