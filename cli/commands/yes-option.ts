/** The option of commands that take something away. */
import { Option } from 'commander';

/** For scripts, which give it to each such command. Only "site remove" asks, and there it has the name of the site. */
export function yesOption(): Option {
  return new Option('--yes', 'do not ask; this command never does');
}
