/** The speed of a line, with as many digits as it is worth: `942`, `38`, `2.4`. */
import { measuredText, numberText } from '../../text/format.ts';

export const mbpsText = (mbps: number): string => (mbps >= 10 ? numberText(Math.round(mbps)) : measuredText(mbps));
