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

export type DiscoveryProblems = Record<'networks' | 'intervalSeconds', string | undefined>;

/** What the API finds wrong with each field. */
export function problemsByField(fields: readonly FieldProblem[]): DiscoveryProblems {
  const messageAt = (name: string) => fields.find(({ path }) => path === `discovery.${name}`)?.message;
  return { networks: messageAt('networks'), intervalSeconds: messageAt('intervalSeconds') };
}
