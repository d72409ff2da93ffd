import * as z from 'zod';
import { defineTool, linesOf } from './tool.ts';

const SpeedtestResult = z.object({
  server: z.string(),
  pingMs: z.number(),
  downloadMbps: z.number(),
  uploadMbps: z.number(),
});

export const speedtest = defineTool({
  name: 'speedtest',
  summary: 'Latency, download and upload rate of the internet connection of the site',
  arguments: {},
  result: SpeedtestResult,
  answer: { output: z.array(z.string()), result: SpeedtestResult.nullable() },
  toAnswer: ({ output, result }) => ({ output: linesOf(output), result }),
  summarise: ({ downloadMbps, uploadMbps, pingMs }) => ({ downloadMbps, uploadMbps, pingMs }),
  limits: { runMs: 90_000, isLong: true, atOnce: 1 }, // Simultaneous tests would disturb each other.
  programs: {},
  mcp: {
    name: 'speed_test',
    title: 'Measure the internet connection',
    description:
      'Measures latency, download and upload rate of the internet connection of the site. ' +
      'Takes up to a minute and a half, and uses the connection fully meanwhile: do not repeat it without need.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
  example: {
    request: {},
    output: 'Ping: 12.34 ms\nDownload: 247.80 Mbit/s\nUpload: 48.39 Mbit/s\n',
    result: { server: 'speed.example.net', pingMs: 12.34, downloadMbps: 247.8, uploadMbps: 48.39 },
  },
});
