/** The names of actors. */
import actorTexts from 'messages:actors';

export interface KnownActors {
  /** Id of the token of this session. */
  own: string;
  /** Names of tokens by their ids, as far as the session may read them. */
  tokens: ReadonlyMap<string, string>;
  /** The site of the screen; null for all. */
  site: string | null;
  /** Names of schedules by their ids, on screens with jobs. */
  schedules?: ReadonlyMap<string, string>;
}

const AGENT = /^([a-z0-9-]{1,32}):([a-z0-9-]{1,32})$/;
const SCHEDULE = /^schedule:([0-9a-f]{12})$/;
const TOKEN = /^[0-9a-f]{16}$/;

/** @param actor id of a token, an agent or a schedule, or a word of the audit */
export function actorName(actor: string, { own, tokens, site, schedules }: KnownActors): string {
  if (actor === own && own !== '') return actorTexts.you;
  const [, agentSite, agent] = AGENT.exec(actor) ?? [];
  if (agent !== undefined && agentSite !== undefined)
    return agentSite === site
      ? actorTexts.agent({ name: agent })
      : actorTexts.agentOf({ name: agent, site: agentSite });
  const [, schedule] = SCHEDULE.exec(actor) ?? [];
  if (schedule !== undefined) return actorTexts.schedule({ name: schedules?.get(schedule) ?? schedule });
  if (actor === 'enrolment' || actor === 'deployment' || actor === 'service') return actorTexts[actor];
  if (TOKEN.test(actor)) return tokens.get(actor) ?? actorTexts.token({ id: actor });
  return actor;
}
