/** The option of commands that take something away. */
import { Option } from 'commander';

export interface YesOption {
  yes?: boolean;
}

/**
 * What cannot be undone is asked for on a terminal, and refused without one unless this option is given. Commands whose work
 * can be undone take it too, so that scripts may give it to all, but never ask.
 */
export function yesOption(): Option {
  return new Option('--yes', 'do not ask');
}
