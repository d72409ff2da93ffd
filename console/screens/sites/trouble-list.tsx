/** The troubles of a site, each with a link to its page. */
import texts from 'messages:sites';
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { Status, type Tone } from '../../ui/status.tsx';
import { Moment } from '../../ui/time.tsx';
import { agentsAway, type Trouble, troublesOf } from './attention.ts';

const WARNINGS: readonly Trouble[] = ['unwatched', 'dark', 'agents', 'slow'];
export const toneOf = (trouble: Trouble): Tone => (WARNINGS.includes(trouble) ? 'warn' : 'bad');

const MOST = 2;

export function TroubleList({ site }: { site: SiteOverview }) {
  const troubles = troublesOf(site);
  if (troubles.length === 0) return null;
  return (
    <ul
      className="flex flex-wrap gap-y-0.5 gap-x-4 text-sm [&_a]:inline-block [&_a]:min-h-6 [&_a]:leading-6 [&_a]:text-inherit [&_a]:no-underline [&_a:hover]:underline"
      aria-label={texts.troublesOf({ name: site.name })}
    >
      {troubles.slice(0, MOST).map((trouble) => {
        const { text, since, to } = aboutTrouble(site, trouble);
        return (
          <li key={trouble}>
            <a href={`#/sites/${site.id}${to}`}>
              <Status tone={toneOf(trouble)}>
                <span>
                  {text}
                  {since === null ? null : (
                    <span className="text-muted">
                      {' '}
                      {texts.since} <Moment at={since} />
                    </span>
                  )}
                </span>
              </Status>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

type About = { text: string; since: string | null; to: string };

export function aboutTrouble(site: SiteOverview, trouble: Trouble): About {
  const { staleSince, darkSince, outages, internet, checksDown, devices } = site;
  const { troubles } = texts;
  const agents = placeOfAgent(site);
  const abouts: Record<Trouble, About> = {
    unwatched: { text: troubles.unwatched, since: staleSince, to: agents },
    dark: { text: troubles.dark, since: darkSince, to: agents },
    outage: {
      text: troubles.outage({ devices: outages.devices }),
      since: outages.since,
      to: '/events?type=outage,outage-over',
    },
    internet: { text: troubles.internet, since: internet.lostSince, to: '/internet' },
    checks: { text: troubles.checks({ count: checksDown }), since: null, to: '/checks' },
    down: { text: troubles.down({ count: devices?.down ?? 0 }), since: null, to: '/devices?status=down' },
    agents: { text: troubles.agents({ count: agentsAway(site) }), since: null, to: agents },
    slow: { text: troubles.slow, since: internet.speed?.slowSince ?? null, to: '/internet' },
  };
  return abouts[trouble];
}

/** The page of an offline agent; without one, the page that adds an agent. */
export function placeOfAgent({ agents }: Pick<SiteOverview, 'agents'>): string {
  const away = agents.find(({ state }) => state !== 'online');
  return away === undefined ? '/agents/new' : `/agents/${encodeURIComponent(away.id.slice(away.id.indexOf(':') + 1))}`;
}
