/** The results of the search for a query, by group. */
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

/** Ignored in front of a place: `go checks`. */
const GO_WORDS = new RegExp(`^(?:${texts.goWords.replaceAll(', ', '|')})\\s+`, 'i');

/** A token may have hundreds of sites. */
const MAX_SITES = 50;
/** Of each kind, beside the devices. */
const MAX_MATCHING = 6;

/** @param subject the device whose verbs the list shows */
export function useSections(site: string | null, query: string, subject: FoundDevice | null) {
  const rights = useRights();
  const [location, navigate] = useLocation();
  const { data } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  const siteName = useSiteName(site ?? '');
  const recent = useMemo(recentChoices, []);
  const verbs = verbsFor(rights);
  const typed = subject === null ? verbIn(query, verbs) : null;
  const search = useSearch(site, subject === null ? (typed?.rest ?? query) : '', rights.may('devices:read'));

  function found(): Partial<Record<keyof typeof texts.groups, readonly Choice[]>> {
    if (subject !== null) {
      const all = verbs.flatMap((verb) => verbChoices(verb, [subject], navigate));
      return { verbs: query.trim() === '' ? all : matching(query, all) };
    }
    const sites = siteChoices(data?.sites ?? [], (to) => samePlaceOfSite(location, to));
    const screens = screenChoices(site, siteName, rights);
    const actions = actionChoices(site, siteName, rights, navigate);
    const beginnings = rights.may('devices:read') ? verbBeginnings(verbs) : [];
    if (query.trim() === '') {
      const icons = new Map([...sites, ...screens].map(({ id, icon }) => [id, icon]));
      return {
        // The same choice stands below with another key.
        recent: recent.map((one) => ({ ...one, id: `recent ${one.id}`, icon: icons.get(one.id) })),
        verbs: beginnings,
        screens,
        sites: sites.slice(0, MAX_SITES),
        actions,
      };
    }
    const wanted = query.replace(GO_WORDS, '');
    return {
      verbs: typed === null ? matching(query, beginnings) : verbChoices(typed.verb, search.devices, navigate),
      screens: matching(wanted, screens).slice(0, MAX_MATCHING),
      sites: matching(wanted, sites).slice(0, MAX_SITES),
      actions: matching(query, actions).slice(0, MAX_MATCHING),
      devices: deviceChoices(search.devices, query),
    };
  }

  const sections = Object.entries(found()).map(([group, choices]) => ({
    title: texts.groups[group as keyof typeof texts.groups],
    choices,
  }));
  return { ...search, sections: sections.filter(({ choices }) => choices.length > 0) };
}

function matching(query: string, choices: readonly Choice[]): Choice[] {
  return ranked(query, choices, ({ label, hint, words = '' }) => `${label} ${hint} ${words}`);
}
