/** The body of `POST /nettools/wakeonlan`: which device to wake, and whether to see it awake. */
import * as z from 'zod';
import { TargetAddress, WakeableMac } from '../network.ts';

/** The fields that name a device; exactly one of them is given. */
const NAMING = ['devMac', 'devName', 'devLastIP'] as const;

export const WakeRequest = z
  .strictObject({
    devMac: WakeableMac.optional(),
    devName: z.string().trim().min(1).max(4_000).optional().meta({
      description:
        'Instead of `devMac`: the whole name of a device of the site, in any letter case. Archived devices do not count. 404 if no device has this name, 409 if several have.',
    }),
    devLastIP: TargetAddress.optional().meta({
      description:
        'Instead of `devMac`: the IP address at which a device of the site was seen last. 404 and 409 as for `devName`.',
    }),
    verify: z.boolean().default(false).meta({
      description:
        'Whether to see the device awake: the packets are sent three times in 15 s, and the device is watched for by ARP for two minutes after the first. The answer is a success only if it was seen: `result.verified` says where, and after how long, or that it was awake already. Without a sign of it the command has failed, with 500 `command_failed`. A network card that answers ARP while its host sleeps counts as awake.',
    }),
  })
  .superRefine((body, context) => {
    const given = NAMING.filter((field) => body[field] !== undefined);
    if (given.length === 1) return;
    const message = `expected exactly one of ${NAMING.join(', ')}${given.length === 0 ? '' : `, not ${given.join(' and ')}`}`;
    context.addIssue({ code: 'custom', path: [given[1] ?? 'devMac'], message });
  });
export type WakeRequest = z.output<typeof WakeRequest>;
