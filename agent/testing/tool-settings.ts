/** What a tool is told of its surroundings in tests: the public services. */
import type { ToolSettings } from '../tools/tool.ts';

export const TOOL_SETTINGS: ToolSettings = {
  internetInfoUrl: null,
  speedtestServer: null,
  rawSockets: false,
};
