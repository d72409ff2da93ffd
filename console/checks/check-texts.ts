/** The texts of checks, with their measured values. */
import messages from 'messages:check';
import { measuredText, percentText } from '../text/format.ts';

/** The messages select by `none`. */
const shown = (value: number | null, text: (value: number) => string) => (value === null ? 'none' : text(value));

export const checkTexts = {
  ...messages,
  ms: (value: number) => messages.ms({ value: measuredText(value) }),
  percent: (value: number) => messages.percent({ value: percentText(value) }),
  summary: (span: string, uptime: number | null, rtt: number | null, loss: number | null) =>
    messages.summary({
      span,
      uptime: shown(uptime, percentText),
      rtt: shown(rtt, measuredText),
      loss: shown(loss, percentText),
    }),
  day: (label: string, uptime: number | null) => messages.day({ label, uptime: shown(uptime, percentText) }),
  compared: (name: string, rtt: number | null) => messages.compared({ name, rtt: shown(rtt, measuredText) }),
};
