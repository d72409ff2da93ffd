/** What the list of the search shows for what is typed. */
import texts from 'messages:palette';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { useSiteName } from '../api/site-name.ts';
import {
  actionChoices,
  type Choice,
  deviceChoices,
  screenChoices,
  siteChoices,
  verbBeginnings,
  verbChoices,
} from './choices.ts';
import { type FoundDevice, useSearch } from './found.ts';
import { samePlaceOfSite } from './places.ts';
import { ranked } from './rank.ts';
import { recentChoices } from './recent.ts';
import { verbIn, verbsFor } from './verbs.ts';

/** In front of a place, they change nothing: `go checks`. */
const GO_WORDS = new RegExp(`^(?:${texts.goWords.replaceAll(', ', '|')})\\s+`, 'i');

interface Section {
  title: string;
  choices: readonly Choice[];
}

/** Of a token with hundreds of sites, the list shows as many as a person may read. */
const MAX_SITES = 50;
/** Of each kind, beside the devices that are found. */
const MAX_MATCHING = 6;

/** @param subject the device of which the list shows what can be done with it */
export function useSections(site: string | null, query: string, subject: FoundDevice | null) {
  const rights = useRights();
  const [location, navigate] = useLocation();
  const { data } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  const siteName = useSiteName(site ?? '');
  const recent = useMemo(recentChoices, []);
  const verbs = verbsFor(rights);
  const said = subject === null ? verbIn(query, verbs) : null;
  const search = useSearch(site, subject === null ? (said?.rest ?? query) : '', rights.may('devices:read'));
  const { groups } = texts;
  const section = (title: string, choices: readonly Choice[]): Section => ({ title, choices });

  function sections(): Section[] {
    if (subject !== null) {
      const all = verbs.flatMap((verb) => verbChoices(verb, [subject], navigate));
      return [section(groups.verbs, query.trim() === '' ? all : matching(query, all))];
    }
    const sites = siteChoices(data?.sites ?? [], (to) => samePlaceOfSite(location, to));
    const screens = screenChoices(site, siteName, rights);
    const actions = actionChoices(site, siteName, rights, navigate);
    const beginnings = rights.may('devices:read') ? verbBeginnings(verbs) : [];
    if (query.trim() === '') {
      const icons = new Map([...sites, ...screens].map(({ id, icon }) => [id, icon]));
      return [
        // Of another key than the same choice below it.
        section(
          groups.recent,
          recent.map((one) => ({ ...one, id: `recent ${one.id}`, icon: icons.get(one.id) })),
        ),
        section(groups.verbs, beginnings),
        section(groups.screens, screens),
        section(groups.sites, sites.slice(0, MAX_SITES)),
        section(groups.actions, actions),
      ];
    }
    const wanted = query.replace(GO_WORDS, '');
    return [
      section(
        groups.verbs,
        said === null ? matching(query, beginnings) : verbChoices(said.verb, search.devices, navigate),
      ),
      section(groups.screens, matching(wanted, screens).slice(0, MAX_MATCHING)),
      section(groups.sites, matching(wanted, sites).slice(0, MAX_SITES)),
      section(groups.actions, matching(query, actions).slice(0, MAX_MATCHING)),
      section(groups.devices, deviceChoices(search.devices, query)),
    ];
  }

  return { ...search, sections: sections().filter(({ choices }) => choices.length > 0) };
}

function matching(query: string, choices: readonly Choice[]): Choice[] {
  return ranked(query, choices, ({ label, hint, words = '' }) => `${label} ${hint} ${words}`);
}
