/** The options of commands that are about one site. */
import { Option } from 'commander';

export function siteOption(): Option {
  return new Option('--site <site>', "the site; default: the token's default site");
}

export function agentOption(): Option {
  return new Option(
    '--agent <agent-name>',
    'the agent of the site that runs it; default: one in the network of the target',
  );
}

export interface OnlySites {
  sites?: string;
}

/** Of commands that show many sites. */
export function onlySitesOption(): Option {
  return new Option('--sites <sites>', 'only these, by ids and tags, such as home,tag:customers');
}
