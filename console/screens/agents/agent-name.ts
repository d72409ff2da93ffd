/** The name of an agent within its site, from its id `<site>:<name>`. */
export function agentName(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}
