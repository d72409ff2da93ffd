/** The option of every command that is about one site. */
import { Option } from 'commander';

export function siteOption(): Option {
  return new Option('--site <site>', "the site; default: the token's default site");
}
