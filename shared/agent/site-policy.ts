/**
 * What a site does not want of its agents. An agent follows it beside the policy file on its host, which decides what is
 * allowed at all: together they allow no more than each of them does.
 */
import * as z from 'zod';

export const SitePolicy = z
  .object({
    /** Names of tools. One that the agent does not know it could not run anyway. */
    deny: z.array(z.string().max(40)).max(50),
    maxScanAddresses: z
      .int()
      .min(1)
      .max(65_536)
      .nullable()
      .meta({ description: 'Addresses in one scan of ports, of any mode; null: as many as the agents allow.' }),
  })
  .meta({
    id: 'SitePolicy',
    description:
      'Tools that the agents of the site are not to run, and how much they scan at once. It only narrows what the policy file on the host of an agent allows; agents before 0.3.0 do not know it.',
  });
export type SitePolicy = z.infer<typeof SitePolicy>;
