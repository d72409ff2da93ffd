/** Checks the host: Node.js, the programs of the tools, raw sockets, networks. */
import packageJson from '../../package.json' with { type: 'json' };
import { formatRange } from '../../shared/network.ts';
import { DISCOVERY_PROGRAMS, packageOf } from '../../shared/tools/list.ts';
import { attachment, rawSockets } from '../host/network.ts';
import { PLATFORM, type Platform, unproven } from '../host/platform.ts';
import { createRunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { programsOf, versionOf } from '../tools/registry.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const NETWORKS_SHOWN = 6;

export function checkNode(version = process.versions.node, wanted = packageJson.engines.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = wanted.replace(/^\D*/, '').split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return ok('node', `Node.js ${version}`);
  const hint = 'Install a newer Node.js, or the Debian package of the agent, which brings its own';
  return problem('node', `Node.js ${version} is too old; the agent needs ${wanted}`, hint);
}

/** Warns of an operating system that the agent is not tested on; null on others. */
export function checkSystem(platform = PLATFORM): Finding | null {
  const what = unproven(platform);
  return what === null ? null : warning('system', `unproven: ${what}`, 'Please report what works and what does not');
}

export async function checkPrograms(run = createRunProcess(), platform = PLATFORM): Promise<Finding[]> {
  return Promise.all(
    Object.entries(programsOf(platform)).map(async ([name, program]) => {
      try {
        return ok(name, `${name} ${await versionOf(run, name, program)}`);
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        return programFinding(name, error, platform);
      }
    }),
  );
}

function programFinding(name: string, { reason, message }: ToolFailure, platform: Platform): Finding {
  if (reason !== 'tool_missing') return problem(name, message, 'A container may need --cap-add NET_RAW');
  if (platform !== 'linux') return warning(name, `${name} is not installed, or not found`);
  const hint = `sudo apt install ${packageOf(name)}`;
  if (!(name in DISCOVERY_PROGRAMS)) return problem(name, `${name} is not installed`, hint);
  return warning(name, `${name} is not installed: discovery and checks see less without it`, hint);
}

/** Checks the user of the doctor. The service has privileges of its own. */
export function checkRawSockets(allowed = rawSockets()): Finding {
  if (allowed) return ok('raw sockets', 'this user may open raw sockets');
  const message = 'this user may not open raw sockets: port scans find less, and some hosts do not answer a traceroute';
  const hint = 'Run the agent as a service with AmbientCapabilities=CAP_NET_RAW, as its Debian package does';
  return warning('raw sockets', message, hint);
}

export function checkNetworks(networks = attachment().networks.map(formatRange)): Finding {
  if (networks.length === 0) {
    return warning('networks', 'this host is attached to no network', 'Look at `ip addr`: is the interface up?');
  }
  const shown = networks.slice(0, NETWORKS_SHOWN).join(', ');
  const more = networks.length - NETWORKS_SHOWN;
  return ok('networks', more > 0 ? `${shown} and ${more} more` : shown);
}
