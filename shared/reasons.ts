/**
 * Why a check fails, devices are gone or a schedule was not run: a code with its values. Each face makes the sentence in its
 * language of it; the English one that stands beside it is made of it too (`reason-text.ts`).
 *
 * A reader drops a code that it does not know and has the sentence left, so that a new one needs no new version of the protocol.
 */
import * as z from 'zod';
import { fitToReport } from './agent/fit-text.ts';

const LONGEST_VALUE = 300;
/** Values quote devices and servers. What is too long is cut: without its code, the reason would be English in all languages. */
const Text = z
  .string()
  .overwrite((text) => fitToReport(text, LONGEST_VALUE) ?? '')
  .max(LONGEST_VALUE);
const Count = z.int().min(0);
const port = Count.max(65_535).optional();

/** What has codes of some kind, all with values of the same names. */
export const coded = <const Codes extends readonly string[], Values extends z.ZodRawShape>(
  codes: Codes,
  values: Values,
) => z.object({ code: z.enum(codes), values: z.object(values) });

export const Reason = z
  .discriminatedUnion('code', [
    z.object({
      code: z.enum([
        ...(['other-protocol', 'text-missing', 'agent-defect'] as const),
        ...(['dns-no-name', 'dns-no-record', 'dns-failed', 'dns-refused', 'dns-silent', 'dns-unreachable'] as const),
        ...(['dns-no-server', 'internet-behind-gateway', 'gateway-silent', 'provider-or-line'] as const),
        ...(['router-or-wire', 'agent-away', 'agent-busy', 'still-running', 'no-other-site-dark'] as const),
      ]),
    }),
    coded(['connection-refused', 'connection-reset', 'connection-closed', 'no-answer'], { port }),
    coded(['host-unreachable', 'network-unreachable'], { port }),
    coded(['connection-failed'], { message: Text, port }),
    coded(['no-answer-within', 'no-whole-answer-within'], { seconds: Count }),
    coded(['port-silent'], { port: Count, seconds: Count }),
    coded(['pings-unanswered'], { sent: Count, complaint: Text.optional(), end: Text.optional() }),
    coded(['status'], { status: Count }),
    coded(['dns-error'], { error: Text }),
    coded(['dns-other-answers'], { expected: Text, answers: Text }),
    coded(['no-address', 'look-up-silent', 'look-up-unknown'], { name: Text }),
    coded(['gateway-gone', 'device-gone'], { device: Text, behind: Count }),
    coded(['switch-or-cable'], { gone: Count, of: Count, device: Text }),
    coded(['power-or-wire'], { gone: Count, of: Count }),
    coded(['gone-together'], { gone: Count, of: Count, seconds: Count }),
    coded(['other-sites-dark'], { sites: Count, same: Count, provider: Text.optional() }),
    coded(['two-hosts'], { hosts: Text }),
  ])
  .meta({ id: 'Reason' });
export type Reason = z.infer<typeof Reason>;

/** The field beside a reason that is a sentence. */
export const ReasonCode = Reason.optional()
  .catch(undefined)
  .describe(
    'The reason as a code with its values, for text in other languages. Absent where it has none; further codes may come.',
  );
