/** The output of a tool as plain text, without the control sequences for terminals. */

/** Sequences of ECMA-48: CSI, OSC up to its terminator, and the two-character escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Line ends stay; a carriage return alone overwrites the line, as in progress displays. The time is proportional to the
 * length of any text.
 */
export function plainText(output: string): string {
  return output.replace(ESCAPES, '').split('\n').map(asOverwritten).join('\n').replace(CONTROLS, '');
}

/** The text after the last carriage return, except those at the end of the line. */
function asOverwritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
