/** One scan of discovery, at once. Its devices are reported as those of the periodic scans. */
import { type AgentTool, Switch } from './tool.ts';

export const arpscan = {
  rules: Switch,
  async run(_command, { settings, signal, onProgress }) {
    onProgress('looking for devices', null);
    const result = await settings.scanNetworks(signal);
    const lines = result.networks.map(({ network, devices }) => `${network}: ${devices} devices\n`);
    return { output: lines.join(''), truncated: false, result };
  },
} satisfies AgentTool<'arpscan'>;
