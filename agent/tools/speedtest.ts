/** The speed of the site's internet connection. */
import type { ToolResult } from '../../shared/tools/list.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import {
  cloudflareServer,
  DEFAULT_TIMING,
  libreSpeedServers,
  measure,
  type SpeedServer,
  type SpeedtestProgress,
  type SpeedtestTiming,
} from './speedtest-engine.ts';
import { type AgentTool, Switch, type ToolAnswer, type ToolContext } from './tool.ts';

const PUBLIC_SERVER = 'https://speed.cloudflare.com';

const measureSpeed = createSpeedtest(DEFAULT_TIMING);

export const speedtest = {
  rules: Switch,
  run: (_command, context) => measureSpeed(context),
} satisfies AgentTool<'speedtest'>;

/** Concurrent tests would disturb each other; the agent's policy allows one. */
export function createSpeedtest(timing: SpeedtestTiming) {
  return async (context: ToolContext): Promise<ToolAnswer<ToolResult<'speedtest'>>> => {
    const { signal, onOutput, onProgress } = context;
    const { speedtestServer } = context.settings;
    const servers = speedtestServer === null ? [cloudflareServer(PUBLIC_SERVER)] : libreSpeedServers(speedtestServer);
    let output = '';
    const progress: SpeedtestProgress = {
      onMeasured(kind, value) {
        const line = resultLine(kind, value);
        output += line;
        onOutput(line);
      },
      onProgress,
    };
    try {
      const result = await measureFirst(servers, timing, progress, signal);
      return { output, truncated: false, result };
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      throw new ToolFailure(error.reason, error.message, { cause: error, output });
    }
  };
}

/** Measures against the first server that responds. */
async function measureFirst(
  servers: SpeedServer[],
  timing: SpeedtestTiming,
  progress: SpeedtestProgress,
  signal: AbortSignal,
): Promise<ToolResult<'speedtest'>> {
  let failure: unknown;
  for (const server of servers) {
    let answered = false;
    const onMeasured: SpeedtestProgress['onMeasured'] = (kind, value) => {
      answered = true;
      progress.onMeasured(kind, value);
    };
    try {
      return await measure(server, timing, { ...progress, onMeasured }, signal);
    } catch (error) {
      const described = describe(server, error);
      if (answered || described.reason !== 'tool_failed') throw described;
      failure ??= described;
    }
  }
  throw failure;
}

function describe({ name }: SpeedServer, error: unknown): ToolFailure {
  if (error instanceof ToolFailure && error.reason !== 'tool_failed') return error;
  const why = error instanceof Error ? error.message : String(error);
  return new ToolFailure('tool_failed', `The speed test with ${name} failed: ${why}`, { cause: error });
}

export function resultLine(kind: 'Ping' | 'Download' | 'Upload', value: number): string {
  return `${kind}: ${value.toFixed(2)} ${kind === 'Ping' ? 'ms' : 'Mbit/s'}\n`;
}
