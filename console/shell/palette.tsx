/**
 * The search for devices, sites, screens, actions and verbs. The focus stays in the field, and arrow keys move through the list
 * (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 */
import common from 'messages:common';
import texts from 'messages:palette';
import statusTexts from 'messages:status';
import { CornerDownLeft, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { IconButton } from '../ui/button.tsx';
import { toneOf } from '../ui/device-state.tsx';
import { useModal } from '../ui/dialog.tsx';
import { KeyCaps } from '../ui/key-caps.tsx';
import { KindIcon } from '../ui/kind-icon.tsx';
import { ProblemBox } from '../ui/state.tsx';
import { StatusShape } from '../ui/status.tsx';
import type { Choice } from './choices.ts';
import type { FoundDevice } from './found.ts';
import styles from './palette.module.css';
import { rememberChoice } from './recent.ts';
import { useSections } from './sections.ts';
import { nameOf } from './verbs.ts';

const KEYS = `${styles.keys} inline-flex items-center gap-1.5 max-800:hidden`;

const PAGE = 8;

export default function Palette({ site, onClose }: { site: string | null; onClose: () => void }) {
  const [query, setQuery] = useState('');
  /** The device whose verbs the list shows. */
  const [subject, setSubject] = useState<FoundDevice | null>(null);
  const { sections, isSearching, searched, sites, error } = useSections(site, query, subject);
  const choices = sections.flatMap((section) => section.choices);
  const { active, setActive, move } = useActive(choices, query);
  const [, navigate] = useLocation();
  const modal = useModal(onClose);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const idOf = (choice: Choice) => `${id}-${choices.indexOf(choice)}`;

  function choose(choice: Choice): void {
    if (choice.fill !== undefined) {
      setQuery(choice.fill);
      field.current?.focus();
      return;
    }
    onClose();
    rememberChoice(choice);
    if (choice.to === undefined) choice.run?.();
    else navigate(choice.to);
  }

  function turnTo(device: FoundDevice | null): void {
    setSubject(device);
    setQuery('');
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.nativeEvent.isComposing) return;
    const act = actionOf(event);
    if (act === null) return;
    event.preventDefault();
    act();
  }

  /** Null for a key that the field handles. */
  function actionOf({ key, ctrlKey, metaKey, shiftKey, currentTarget }: KeyboardEvent<HTMLInputElement>) {
    if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return onClose;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }[key];
    if (steps !== undefined) return () => move(steps);
    const isAtEnd = currentTarget.selectionStart === currentTarget.value.length;
    const device = subject === null ? active?.device : undefined;
    if (device !== undefined && ((key === 'Tab' && !shiftKey) || (key === 'ArrowRight' && isAtEnd))) {
      return () => turnTo(device);
    }
    const isLeaving = key === 'Escape' || (key === 'Backspace' && query === '');
    if (subject !== null && isLeaving) return () => turnTo(null);
    if (key !== 'Enter') return null;
    // The devices may still be those of the previous query; all else is found at once.
    const isOld = isSearching && active?.device !== undefined && subject === null;
    return () => active !== undefined && !isOld && choose(active);
  }

  return (
    <dialog
      {...modal}
      aria-label={texts.title}
      className="w-[min(640px,calc(100vw_-_24px))] max-h-[min(560px,calc(100dvh_-_48px))] mx-auto mt-[min(12vh,96px)] mb-auto p-0 overflow-hidden border border-line rounded-card bg-raised shadow-raised text-text backdrop:bg-[rgb(10_15_25/45%)] max-800:w-screen max-800:max-w-none max-800:h-dvh max-800:max-h-none max-800:m-0 max-800:border-0 max-800:rounded-none"
      onPointerDown={({ target, currentTarget }) => {
        if (target === currentTarget) onClose(); // Beside it.
      }}
    >
      <div className="flex flex-col max-h-[inherit] max-800:h-full max-800:pt-[env(safe-area-inset-top)] max-800:pb-[env(safe-area-inset-bottom)]">
        <div className="flex flex-none items-center gap-2 px-3 border-b border-line focus-within:border-b-accent">
          {subject === null ? null : (
            <button
              type="button"
              className="inline-flex flex-initial items-center gap-1.5 max-w-[45%] min-h-7 px-2 py-0.5 border-0 rounded-control bg-accent-soft text-sm font-medium text-accent cursor-pointer [&_span]:truncate [&_svg]:flex-none [&_svg]:size-3.5"
              aria-label={texts.back({ name: nameOf(subject) })}
              onClick={() => {
                turnTo(null);
                field.current?.focus();
              }}
            >
              <span data-foreign>{nameOf(subject)}</span>
              <X aria-hidden="true" />
            </button>
          )}
          <input
            ref={field}
            role="combobox"
            aria-label={subject === null ? texts.field : texts.ofDevice({ name: nameOf(subject) })}
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={active === undefined ? undefined : idOf(active)}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            placeholder={subject === null ? texts.field : texts.ofDevice({ name: nameOf(subject) })}
            // The line below is the ring: an outline would be cut off.
            className={`flex-1 placeholder:text-muted placeholder:opacity-100 min-w-0 min-h-12 p-1 border-0 bg-transparent text-lg focus-visible:outline-none`}
            value={query}
            onChange={({ target }) => setQuery(target.value)}
            onKeyDown={onKeyDown}
          />
          <IconButton label={common.close} icon={<X />} className="hidden max-800:inline-flex" onClick={onClose} />
        </div>
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={texts.results}
          className="flex-1 min-h-0 px-2 pt-1 pb-2 overflow-y-auto [scrollbar-width:thin]"
        >
          {sections.map(({ title, choices: inSection }) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options, for which HTML has no element
            <div key={title} role="group" aria-label={title}>
              <div className="px-2 pt-2 pb-1 text-muted text-xs font-medium" aria-hidden="true">
                {title}
              </div>
              {inSection.map((choice) => (
                <PaletteOption
                  key={choice.id}
                  id={idOf(choice)}
                  choice={choice}
                  isActive={choice === active}
                  hasMore={choice.device !== undefined && choice.group === 'devices'}
                  onPoint={() => setActive(choice)}
                  onChoose={() => choose(choice)}
                />
              ))}
            </div>
          ))}
        </div>
        {error === null ? null : <ProblemBox error={error} />}
        <div
          role="status"
          className={choices.length === 0 ? 'p-6 text-muted text-center wrap-anywhere' : 'visually-hidden'}
        >
          {statusText(choices.length, isSearching, query)}
        </div>
        <Foot searched={searched} sites={sites} hasDevice={subject === null && active?.device !== undefined} />
      </div>
    </dialog>
  );
}

function statusText(count: number, isSearching: boolean, query: string): string {
  if (count > 0) return texts.count({ count });
  return isSearching ? texts.searching : texts.nothing({ query: query.trim() });
}

function Foot({ searched, sites, hasDevice }: { searched: number; sites: number; hasDevice: boolean }) {
  const { keys, ofSites } = texts;
  return (
    <div
      className={`${styles.foot} flex flex-none flex-wrap gap-y-1 gap-x-4 px-4 py-2 border-t border-line text-muted text-xs [&_svg]:size-3.25`}
    >
      {searched < sites ? <span>{ofSites({ searched, all: sites })}</span> : null}
      <span className={KEYS}>
        <KeyCaps keys="ArrowUp ArrowDown" /> {keys.move}
      </span>
      <span className={KEYS}>
        <CornerDownLeft aria-hidden="true" /> {keys.choose}
      </span>
      {hasDevice ? (
        <span className={KEYS}>
          <KeyCaps keys="Tab" /> {keys.verbs}
        </span>
      ) : null}
      <span className={KEYS}>
        <KeyCaps keys="Escape" /> {keys.close}
      </span>
    </div>
  );
}

/** The first is active until a key or the pointer moves; it stays when further results arrive. */
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

interface Props {
  id: string;
  choice: Choice;
  isActive: boolean;
  /** Whether a key shows its verbs. */
  hasMore: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

/** One result of the search. */
function PaletteOption({ id, choice, isActive, hasMore, onPoint, onChoose }: Props) {
  const { label, hint, icon: Icon, type, keys, device, group } = choice;
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
      className="flex items-center gap-2.5 min-h-8.5 px-2 py-1 rounded-control text-sm cursor-pointer aria-selected:bg-selected max-800:min-h-11"
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
    >
      <span className="inline-flex flex-none justify-center w-5 [&_svg]:size-4.5 [&_svg]:stroke-[1.75] [&_svg]:text-muted">
        {type !== undefined ? <KindIcon type={type} /> : Icon === undefined ? null : <Icon aria-hidden="true" />}
      </span>
      <span className="flex-initial max-w-[60%] truncate" data-foreign>
        {label}
      </span>
      {device === undefined || group !== 'devices' ? null : (
        <span className="inline-flex flex-none [&_svg]:size-2.25" title={statusTexts[device.status]}>
          <StatusShape tone={toneOf(device)} />
        </span>
      )}
      <span className="flex-[1_1_0] text-muted text-xs text-end truncate" data-foreign>
        {hint}
      </span>
      {keys === undefined ? null : <KeyCaps keys={keys} />}
      {hasMore && isActive ? (
        <span className="max-800:hidden">
          <KeyCaps keys="ArrowRight" />
        </span>
      ) : null}
    </div>
  );
}
