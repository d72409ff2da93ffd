/** What a tool is told of its surroundings in tests: the public services. */
import { searchWithin } from '../../../agent/discovery/device-search.ts';
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
