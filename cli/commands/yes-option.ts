/** The option of commands that take something away. */
import { Option } from 'commander';

export interface YesOption {
  yes?: boolean;
}

/**
 * A command that cannot be undone asks for confirmation on a terminal, and without one needs this option. Commands whose work
 * can be undone take it too, so that scripts may give it to all, but never ask.
 */
export function yesOption(): Option {
  return new Option('--yes', 'do not ask for confirmation');
}
