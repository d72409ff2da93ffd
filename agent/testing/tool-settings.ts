/** What a tool is told of its surroundings in tests: the public services, and the default policy. */
import { parsePolicy } from '../policy.ts';
import type { ToolSettings } from '../tools/tool.ts';

export const TOOL_SETTINGS: ToolSettings = {
  internetInfoUrl: null,
  speedtestServer: null,
  nmapRules: parsePolicy({}).nmap,
  rawSockets: false,
};
