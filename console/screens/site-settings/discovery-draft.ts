/** The settings of discovery, as a form has them. */
import type { DiscoverySettings } from '../../../shared/agent/discovery.ts';
import type { FieldProblem } from '../../api/problem.ts';

export interface DiscoveryDraft {
  isEnabled: boolean;
  isAuto: boolean;
  /** One network a line. */
  networks: string;
  interval: string;
}

export function draftOf({ enabled, networks, intervalSeconds }: DiscoverySettings): DiscoveryDraft {
  return {
    isEnabled: enabled,
    isAuto: networks === 'auto',
    networks: networks === 'auto' ? '' : networks.join('\n'),
    interval: String(intervalSeconds),
  };
}

/** What is sent; the API says what is wrong with it. */
export function settingsOf({ isEnabled, isAuto, networks, interval }: DiscoveryDraft): DiscoverySettings {
  return {
    enabled: isEnabled,
    networks: isAuto ? 'auto' : networks.split(/[\s,;]+/).filter((network) => network !== ''),
    intervalSeconds: Number(interval),
  };
}

export type DiscoveryProblems = Partial<Record<'networks' | 'intervalSeconds', string>>;

/** What is wrong with each field; a network in a list of several is named. */
export function problemsByField(
  fields: readonly FieldProblem[],
  networks: DiscoverySettings['networks'],
): DiscoveryProblems {
  const found: DiscoveryProblems = {};
  for (const { path, message } of fields) {
    const [, name, place] = /^body\.discovery\.(networks|intervalSeconds)(?:\.(\d+))?$/.exec(path) ?? [];
    if (name !== 'networks' && name !== 'intervalSeconds') continue;
    const network = place === undefined ? undefined : networks[Number(place)];
    const text = network === undefined ? message : `${network}: ${message}`;
    found[name] = found[name] === undefined ? text : `${found[name]} ${text}`;
  }
  return found;
}
