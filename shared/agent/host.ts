/** The host on which an agent runs, as the agent reports it. */
import * as z from 'zod';
import { Millis } from '../time.ts';

export const AgentHost = z.object({
  name: z.string().max(253),
  /** Its operating system, for a person. */
  platform: z.string().max(100),
  /** Without those of loopback and link-local ones. */
  addresses: z.array(z.string().max(45)).max(20),
  /** When the agent's program was started (Unix, ms). */
  startedAt: Millis,
});
export type AgentHost = z.infer<typeof AgentHost>;
