/** A field for a selection of sites: all, or some by their names and tags. */
import texts from 'messages:siteChoice';
import { useId, useState } from 'react';
import type { SiteRef } from '../../shared/identity.ts';
import { tagOfRef } from '../../shared/site-ref.ts';
import { useKnownSites } from '../api/known-sites.ts';
import { refOfTag, type Selection } from '../api/selection.ts';
import { ChipList } from './chip.tsx';
import { CheckField, CheckGroup, RadioField, TextField } from './field.tsx';
import { ProblemBox } from './state.tsx';

interface Props {
  label: string;
  value: Selection;
  onChange: (value: Selection) => void;
  /** The greatest possible selection. */
  most: Selection;
  error?: string | undefined;
  /** The selection does not include future sites. */
  isForNow?: boolean;
}

interface Option {
  ref: SiteRef;
  name: string;
  about: string;
}

/** Longer lists have a search field. */
const HANDFUL = 10;
const MAX_SHOWN = 50;

export function SitesField({ label, value, onChange, most, error, isForNow = false }: Props) {
  const name = `${useId()}-sites`;
  const allLabel = isForNow ? texts.allNow : texts.all;
  const { error: problem } = useKnownSites();
  // Keeps the chosen sites while "all" is selected.
  const [listed, setListed] = useState<readonly SiteRef[]>(value === '*' ? [] : value);
  const isAll = value === '*';
  const change = (refs: readonly SiteRef[]) => {
    setListed(refs);
    onChange(refs);
  };
  return (
    <CheckGroup label={label} error={error}>
      {most === '*' ? (
        <>
          <RadioField name={name} label={allLabel} checked={isAll} onChange={() => onChange('*')} />
          <RadioField name={name} label={texts.chosen} checked={!isAll} onChange={() => onChange(listed)} />
        </>
      ) : null}
      {isAll ? null : (
        <div className="grid gap-2 w-full data-inset:ps-6.5" data-inset={most === '*' || undefined}>
          {problem !== null && <ProblemBox error={problem} />}
          <SitesChoice value={value} most={most} isForNow={isForNow} onChange={change} />
        </div>
      )}
    </CheckGroup>
  );
}

interface ChoiceProps {
  value: readonly SiteRef[];
  most: Selection;
  isForNow: boolean;
  onChange: (value: SiteRef[]) => void;
}

function SitesChoice({ value, most, isForNow, onChange }: ChoiceProps) {
  const [query, setQuery] = useState('');
  const { tags, sites } = useOptions(most, value);
  const all = [...tags, ...sites];
  const isLong = all.length > HANDFUL;
  const words = query.trim().toLocaleLowerCase();
  const fits = ({ ref, name }: Option) => `${name} ${ref}`.toLocaleLowerCase().includes(words);
  const nameOf = (ref: SiteRef) => all.find((one) => one.ref === ref)?.name ?? ref;
  const toggle = (ref: SiteRef) => onChange(value.includes(ref) ? value.filter((one) => one !== ref) : [...value, ref]);
  const groups = [
    [isForNow ? texts.byTagNow : texts.byTag, tags.filter(fits)],
    [texts.single, sites.filter(fits)],
  ] as const;
  const left = groups[1][1].length - MAX_SHOWN;
  return (
    <>
      {isLong && (
        <>
          {value.length > 0 && <ChipList label={texts.chosenOnes} values={value} nameOf={nameOf} onRemove={toggle} />}
          <TextField
            label={texts.find}
            isLabelHidden
            type="search"
            placeholder={texts.find}
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
        </>
      )}
      <div className="grid gap-2 max-h-60 overflow-y-auto">
        {groups.map(([heading, options]) =>
          options.length === 0 ? null : (
            <fieldset key={heading} className="flex flex-wrap gap-y-0 gap-x-5 min-w-0 m-0 p-0 border-0">
              <legend className={tags.length === 0 ? 'visually-hidden' : 'p-0 text-muted text-xs'}>{heading}</legend>
              {options.slice(0, MAX_SHOWN).map(({ ref, name, about }) => (
                <CheckField
                  key={ref}
                  label={
                    <span className="wrap-anywhere">
                      <span data-foreign>{name}</span> {about !== '' && <span className="text-muted">{about}</span>}
                    </span>
                  }
                  checked={value.includes(ref)}
                  onChange={() => toggle(ref)}
                />
              ))}
            </fieldset>
          ),
        )}
        {left > 0 ? <p className="text-muted">{texts.more({ count: left })}</p> : null}
        {all.length > 0 && groups.every(([, options]) => options.length === 0) ? <p>{texts.noMatch}</p> : null}
      </div>
    </>
  );
}

/** Includes the present selection, so that a person can remove it. */
function useOptions(most: Selection, value: readonly SiteRef[]): { tags: Option[]; sites: Option[] } {
  const known = useKnownSites();
  const given = most === '*' ? [] : most;
  const tags = new Set([
    ...(most === '*' ? known.tags.keys() : []),
    ...[...given, ...value].map(tagOfRef).filter((tag) => tag !== null),
  ]);
  const names = new Map(known.sites.map(({ id, name }) => [id, name]));
  const sites = new Set([...names.keys(), ...[...given, ...value].filter((ref) => tagOfRef(ref) === null)]);
  return {
    tags: [...tags].map((tag) => ({
      ref: refOfTag(tag),
      name: tag,
      about: texts.sitesOf({ count: known.tags.get(tag) ?? 0 }),
    })),
    sites: [...sites].map((id) => {
      const name = names.get(id) ?? id;
      return { ref: id, name, about: name === id ? '' : id };
    }),
  };
}
