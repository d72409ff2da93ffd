/** The result of a tool in a few values, for lists of jobs. */
import * as z from 'zod';
import { fitToReport } from '../agent/fit-text.ts';

/** Listed answers. */
const MAX_ANSWERS = 3;

const MAX_ANSWER_CHARACTERS = 80;

/** Each tool sets the values that it reports. */
export const ResultSummary = z
  .object({
    hosts: z.int().describe('Hosts that answered a scan.'),
    openPorts: z.int().describe('Open ports of all of them.'),
    devices: z.int().describe('Devices that count as online.'),
    interfaces: z.int().describe('Network interfaces of the host of the agent.'),
    hops: z.int(),
    reached: z.boolean().describe('Whether the target of a trace answered.'),
    rttMs: z.number().describe('The best round-trip time to the last hop that answered.'),
    downloadMbps: z.number(),
    uploadMbps: z.number(),
    pingMs: z.number(),
    answers: z
      .array(z.string())
      .describe('The first addresses or names of a look-up; of the internet connection, address and organisation.'),
    answerCount: z.int(),
    packets: z.int().describe('Wake-on-LAN packets sent.'),
    awakeAfterMs: z.int().describe('Time until the device was seen awake; 0 if it was already.'),
  })
  .partial()
  .meta({ id: 'ResultSummary' });
export type ResultSummary = z.infer<typeof ResultSummary>;

/** Truncated, because agents may send texts of any length. */
export function someAnswers(answers: readonly string[]): Pick<ResultSummary, 'answers' | 'answerCount'> {
  const named = answers.slice(0, MAX_ANSWERS).map((answer) => fitToReport(answer, MAX_ANSWER_CHARACTERS));
  return { answers: named.filter((answer) => answer !== null), answerCount: answers.length };
}
