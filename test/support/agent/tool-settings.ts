/** What a tool gets in tests. */
import { searchWithin } from '../../../agent/discovery/device-search.ts';
import type { Finished } from '../../../agent/host/run-process.ts';
import { ToolFailure } from '../../../agent/host/tool-failure.ts';
import type { ToolSettings } from '../../../agent/tools/tool.ts';

export const TOOL_SETTINGS: ToolSettings = {
  internetInfoUrl: null,
  speedtestServer: null,
  rawSockets: false,
  scanNetworks: async () => {
    throw new ToolFailure('discovery_off', 'there is no discovery in this test');
  },
  searchFor: searchWithin({ allow: true, networks: 'attached', maxAddresses: 8192, recognize: true }),
};

/** No program is there, no caller listens, and each use has a signal of its own. */
export const TOOL_CONTEXT = {
  run: (): Promise<Finished> => Promise.reject(new Error('starts no process')),
  rules: { enabled: true },
  get signal() {
    return new AbortController().signal;
  },
  onOutput: () => {},
  onProgress: () => {},
  settings: TOOL_SETTINGS,
};
