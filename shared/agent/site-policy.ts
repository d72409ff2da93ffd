/** What a site denies its agents, beside the policy file on each host: an agent runs only what both allow. */
import * as z from 'zod';

export const SitePolicy = z
  .object({
    /** Names of tools. An agent cannot run one that it does not know anyway. */
    deny: z.array(z.string().max(40)).max(50),
    maxScanAddresses: z
      .int()
      .min(1)
      .max(65_536)
      .nullable()
      .describe('Addresses in one scan of ports, of any mode; null: as many as the agents allow.'),
  })
  .meta({
    id: 'SitePolicy',
    description:
      'Tools that the agents of the site must not run, and how many addresses they scan at once. It only narrows what the policy file on the host of an agent allows; agents before 0.3.0 ignore it.',
  });
export type SitePolicy = z.infer<typeof SitePolicy>;
