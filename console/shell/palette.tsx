/**
 * Finds devices, sites, screens and actions by a few letters. The pattern of a combobox with a list: the focus stays in the
 * field, and the arrow keys move through the list (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { POLL_MS, useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { useModal } from '../ui/dialog.tsx';
import { KeyCaps } from '../ui/key-caps.tsx';
import { KindIcon } from '../ui/kind-icon.tsx';
import { ProblemBox } from '../ui/state.tsx';
import { actionChoices, type Choice, deviceChoices, screenChoices, siteChoices } from './choices.ts';
import { useDeviceSearch } from './device-search.ts';
import styles from './palette.module.css';
import { texts } from './palette-texts.ts';
import { samePlaceOfSite } from './places.ts';
import { ranked } from './rank.ts';
import { recentChoices, rememberChoice } from './recent.ts';

interface Props {
  site: string | null;
  onClose: () => void;
}

interface Section {
  title: string;
  choices: readonly Choice[];
}

/** How many of the sites are searched for devices. */
interface Searched {
  sites: number;
  all: number;
}

const PAGE = 8;
/** Where no site is chosen, each of so many is asked. */
const MAX_SEARCHED = 50;
/** Of a site with hundreds of neighbours, the list shows as many as a person may read. */
const MAX_SITES = 50;

export function Palette({ site, onClose }: Props) {
  const [query, setQuery] = useState('');
  const { sections, isSearching, searched, error } = useSections(site, query);
  const choices = sections.flatMap((section) => section.choices);
  const { active, setActive, move } = useActive(choices, query);
  const [, navigate] = useLocation();
  const modal = useModal(onClose);
  const id = useId();
  const idOf = (choice: Choice) => `${id}-${choices.indexOf(choice)}`;

  function choose(choice: Choice): void {
    onClose();
    rememberChoice(choice);
    if (choice.to === undefined) choice.run?.();
    else navigate(choice.to);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const isClosing = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }[event.key];
    if (event.nativeEvent.isComposing || (!isClosing && steps === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (isClosing) onClose();
    else if (steps !== undefined) move(steps);
    // The devices in the list may still be those of what was typed before; everything else in it is found at once.
    else if (active !== undefined && !(isSearching && active.group === 'devices')) choose(active);
  }

  return (
    <dialog
      {...modal}
      aria-label={texts.title}
      className={styles.palette}
      onPointerDown={({ target, currentTarget }) => {
        if (target === currentTarget) onClose(); // Beside it.
      }}
    >
      <div className={styles.inside}>
        <input
          role="combobox"
          aria-label={texts.field}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={active === undefined ? undefined : idOf(active)}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={texts.field}
          className={styles.field}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
          onKeyDown={onKeyDown}
        />
        <div id={`${id}-list`} role="listbox" aria-label={texts.results} className={styles.list}>
          {sections.map(({ title, choices: inSection }) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, for which HTML has no element
            <div key={title} role="group" aria-label={title}>
              <div className={styles.title} aria-hidden="true">
                {title}
              </div>
              {inSection.map((choice) => (
                <Option
                  key={choice.id}
                  id={idOf(choice)}
                  choice={choice}
                  isActive={choice === active}
                  onPoint={() => setActive(choice)}
                  onChoose={() => choose(choice)}
                />
              ))}
            </div>
          ))}
        </div>
        {error === null ? null : <ProblemBox error={error} />}
        <div role="status" className={choices.length === 0 ? styles.nothing : 'visually-hidden'}>
          {statusText(choices.length, isSearching, query)}
        </div>
        <Foot searched={searched} />
      </div>
    </dialog>
  );
}

function statusText(count: number, isSearching: boolean, query: string): string {
  if (count > 0) return texts.count(count);
  return isSearching ? texts.searching : texts.nothing(query.trim());
}

function Foot({ searched }: { searched: Searched }) {
  const { keys, ofSites } = texts;
  return (
    <div className={styles.foot}>
      {searched.sites < searched.all ? <span>{ofSites(searched.sites, searched.all)}</span> : null}
      <span className={styles.keys}>
        <KeyCaps keys="ArrowUp ArrowDown" /> {keys.move}
      </span>
      <span className={styles.keys}>
        <KeyCaps keys="Enter" /> {keys.choose}
      </span>
      <span className={styles.keys}>
        <KeyCaps keys="Escape" /> {keys.close}
      </span>
    </div>
  );
}

interface OptionProps {
  id: string;
  choice: Choice;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, choice: { label, hint, icon: Icon, type, keys }, isActive, onPoint, onChoose }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles.option}
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
    >
      {type !== undefined ? <KindIcon type={type} /> : Icon === undefined ? null : <Icon aria-hidden="true" />}
      <span className={styles.label} data-foreign>
        {label}
      </span>
      <span className={styles.hint} data-foreign>
        {hint}
      </span>
      {keys === undefined ? null : <KeyCaps keys={keys} />}
    </div>
  );
}

/** The active one is the first, until a key or the pointer moves; it stays when more comes after it. */
function useActive(choices: readonly Choice[], query: string) {
  const [activeId, setActiveId] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query begins with its first result
  useEffect(() => setActiveId(null), [query]);
  const active = choices.find(({ id }) => id === activeId) ?? choices[0];
  return {
    active,
    setActive: ({ id }: Choice) => setActiveId(id),
    /** One step goes from the end to the beginning, a page stops there. */
    move(steps: number) {
      if (active === undefined) return;
      const to = choices.indexOf(active) + steps;
      const last = choices.length - 1;
      const bounded = Math.abs(steps) === 1 ? (to + choices.length) % choices.length : Math.min(last, Math.max(0, to));
      setActiveId(choices[bounded]?.id ?? null);
    },
  };
}

function useSections(site: string | null, query: string) {
  const rights = useRights();
  const [location, navigate] = useLocation();
  const { data: sites } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  const known = sites?.sites ?? [];
  const places = site === null ? known.slice(0, MAX_SEARCHED) : [{ id: site, name: site }];
  const { devices, isSearching, error } = useDeviceSearch(
    rights.may('devices:read') ? places.map(({ id }) => id) : [],
    query,
  );
  const nameOf = (id: string) => (site === null ? (known.find((one) => one.id === id)?.name ?? id) : '');
  const recent = useMemo(recentChoices, []);
  const fixed = {
    sites: siteChoices(known, (to) => samePlaceOfSite(location, to)),
    screens: screenChoices(site, rights),
    actions: actionChoices(site, rights, navigate),
  };
  const { groups } = texts;
  const matching = (choices: readonly Choice[]) => ranked(query, choices, ({ label, hint }) => `${label} ${hint}`);
  const icons = new Map(Object.values(fixed).flatMap((choices) => choices.map(({ id, icon }) => [id, icon] as const)));
  const sections: Section[] =
    query.trim() === ''
      ? [
          {
            title: groups.recent,
            // Of another key than the same choice below it.
            choices: recent.map((one) => ({
              ...one,
              id: `recent ${one.id}`,
              icon: icons.get(one.id),
            })),
          },
          { title: groups.screens, choices: fixed.screens },
          { title: groups.sites, choices: fixed.sites.slice(0, MAX_SITES) },
          { title: groups.actions, choices: fixed.actions },
        ]
      : [
          { title: groups.screens, choices: matching(fixed.screens) },
          { title: groups.sites, choices: matching(fixed.sites).slice(0, MAX_SITES) },
          { title: groups.actions, choices: matching(fixed.actions) },
          { title: groups.devices, choices: deviceChoices(devices, nameOf) },
        ];
  const searched: Searched = { sites: places.length, all: site === null ? known.length : 1 };
  return { sections: sections.filter(({ choices }) => choices.length > 0), isSearching, searched, error };
}
