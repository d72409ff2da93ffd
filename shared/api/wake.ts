/** The body of `POST /nettools/wakeonlan`: the device to wake, and whether to verify that it woke up. */
import * as z from 'zod';
import { TargetAddress, WakeableMac } from '../network.ts';

/** The fields that name a device, of which exactly one is required. */
const NAMING = ['devMac', 'devName', 'devLastIP'] as const;

export const WakeRequest = z
  .strictObject({
    devMac: WakeableMac.optional(),
    devName: z
      .string()
      .trim()
      .min(1)
      .max(4_000)
      .optional()
      .describe(
        'Instead of `devMac`: the full name of a device of the site that is not archived, in any letter case. 404 if no device has this name, 409 if several have.',
      ),
    devLastIP: TargetAddress.optional().describe(
      'Instead of `devMac`: the last IP address of a device of the site. 404 and 409 as for `devName`.',
    ),
    verify: z
      .boolean()
      .default(false)
      .describe(
        'Whether to verify that the device woke up: the agent sends the packets three times in 15 s, and probes the device by ARP for two minutes after the first. The answer is a success only if the device answered: `result.verified` has its address, and the time it took, 0 if it was already awake. Otherwise the command fails with 500 `command_failed`. A network card that answers ARP while its host sleeps counts as awake.',
      ),
  })
  .superRefine((body, context) => {
    const given = NAMING.filter((field) => body[field] !== undefined);
    if (given.length === 1) return;
    const message = `expected exactly one of ${NAMING.join(', ')}${given.length === 0 ? '' : `, not ${given.join(' and ')}`}`;
    context.addIssue({ code: 'custom', path: [given[1] ?? 'devMac'], message });
  });
export type WakeRequest = z.output<typeof WakeRequest>;
