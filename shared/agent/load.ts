/** How busy an agent is. Not in `messages.ts`, which needs the schemas of all tools. */
import * as z from 'zod';

/** The number of commands that an agent runs and has queued. */
export const Load = z.object({ running: z.int().min(0), queued: z.int().min(0) });
export type Load = z.infer<typeof Load>;
