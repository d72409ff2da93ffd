/** The output of a tool as text: without the sequences that would colour a terminal or move its cursor. */

/** Sequences of ECMA-48: CSI, OSC up to its terminator, and the two-character escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Line ends stay; a carriage return alone begins the line anew, as a progress display of a tool does. The time is
 * proportional to the length, whatever the text is.
 */
export function plainText(output: string): string {
  return output.replace(ESCAPES, '').split('\n').map(asOverwritten).join('\n').replace(CONTROLS, '');
}

/** What a line shows in the end: what follows its last carriage return, but for those at its very end. */
function asOverwritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
