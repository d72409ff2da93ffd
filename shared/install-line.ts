/** The lines that a person runs on the host of an agent. What is in them is quoted for a POSIX shell. */

import { PERMIT_HEADER } from './agent/proof.ts';

/** Quotes a word for a shell's command line, unless it needs no quotes. */
export function shellWord(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Installs the offered agent, enrols the host and starts it; as root. @param url of the API, without end slash */
export function installLine(code: string, url: string): string {
  return `curl -fsSL ${shellWord(`${url}/agent/install.sh`)} | sh -s -- --url ${shellWord(url)} --code ${shellWord(code)}`;
}

/** Fetches a package of the agent into a file of the same name. */
export function packageLine(code: string, url: string, name: string): string {
  return `curl -fsSLO --header ${shellWord(`${PERMIT_HEADER}: ${code}`)} ${shellWord(`${url}/agent/packages/${name}`)}`;
}

/** Enrols a host on which the agent is installed. */
export function enrolLine(code: string, url: string): string {
  return `lanreach-agent enrol ${shellWord(code)} --url ${shellWord(url)}`;
}
