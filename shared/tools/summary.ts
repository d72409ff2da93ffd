/** The result of a tool in a few values, for lists of jobs. */
import * as z from 'zod';
import { fitToReport } from '../agent/fit-text.ts';

/** Listed answers. */
const MAX_ANSWERS = 3;

const MAX_ANSWER_CHARACTERS = 80;

/** Each tool sets the values that it reports. */
export const ResultSummary = z
  .object({
    hosts: z.int().meta({ description: 'Hosts that answered a scan.' }),
    openPorts: z.int().meta({ description: 'Open ports of all of them.' }),
    devices: z.int().meta({ description: 'Devices that count as online.' }),
    interfaces: z.int().meta({ description: 'Network interfaces of the host of the agent.' }),
    hops: z.int(),
    reached: z.boolean().meta({ description: 'Whether the target of a trace answered.' }),
    rttMs: z.number().meta({ description: 'The best round-trip time to the last hop that answered.' }),
    downloadMbps: z.number(),
    uploadMbps: z.number(),
    pingMs: z.number(),
    answers: z.array(z.string()).meta({
      description: 'The first addresses or names of a look-up; of the internet connection, address and organisation.',
    }),
    answerCount: z.int(),
    packets: z.int().meta({ description: 'Wake-on-LAN packets sent.' }),
    awakeAfterMs: z.int().meta({ description: 'Time until the device was seen awake; 0 if it was already.' }),
  })
  .partial()
  .meta({ id: 'ResultSummary' });
export type ResultSummary = z.infer<typeof ResultSummary>;

/** Truncated, because agents may send texts of any length. */
export function someAnswers(answers: readonly string[]): Pick<ResultSummary, 'answers' | 'answerCount'> {
  const named = answers.slice(0, MAX_ANSWERS).map((answer) => fitToReport(answer, MAX_ANSWER_CHARACTERS));
  return { answers: named.filter((answer) => answer !== null), answerCount: answers.length };
}
