/** One pass of discovery, at once: the same that the agent makes by itself, so what it finds goes the same way. */
import { type AgentTool, Switch } from './tool.ts';

export const arpscan = {
  rules: Switch,
  async run(_command, { settings, signal, onProgress }) {
    onProgress('looking for devices', null);
    const result = await settings.lookForDevices(signal);
    const lines = result.networks.map(({ network, devices }) => `${network}: ${devices} devices\n`);
    return { output: lines.join(''), truncated: false, result };
  },
} satisfies AgentTool<'arpscan'>;
