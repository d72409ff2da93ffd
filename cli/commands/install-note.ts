/** The line that a person runs on the host of an agent, and what there is to say of it. */
import type { AnswerOf } from '../../client/routes.ts';
import { enrolLine, installLine } from '../../shared/install-line.ts';
import { isLoopback, urlForOthers } from '../client/loopback.ts';
import type { Session } from '../client/session.ts';

type Release = AnswerOf<'POST /sites/{site}/agents'>['release'];

/** Shows the line. @returns where the service is, for that host */
export async function showLine({ client, show }: Session, made: object, code: string, release: Release) {
  const url = isLoopback(client.url) ? ((await urlForOthers(client.url)) ?? client.url) : client.url;
  const line = release === null ? enrolLine : installLine;
  await show(made, () => `${line(code, url)}\n`);
  return url;
}

export function noteHowToInstall({ note }: Session, release: Release, url: string): void {
  if (release !== null) note('Where curl is missing: apt-get install curl first, or wget -qO- instead of curl -fsSL.');
  if (isLoopback(url)) {
    note(`${url} leads to this host only. For another one: HOST=0.0.0.0 npm start, and an address of this host.`);
  }
}
