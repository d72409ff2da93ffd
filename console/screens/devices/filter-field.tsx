/** One field that filters devices, by a text and by the tokens that it proposes. */
import texts from 'messages:devices';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { useAnswer } from '../../api/queries.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { type Proposal, proposalsFor, tokensOf } from './filter-tokens.ts';
import { useScreen } from './screen.ts';
import styles from './toolbar.module.css';
import type { ViewState } from './use-view.ts';
import { MAX_TEXT } from './view.ts';

export function FilterField({ typed, type }: Pick<ViewState, 'typed' | 'type'>) {
  const { site, view, changeView, list } = useScreen();
  const facets = useAnswer('GET /devices/facets', { site });
  const field = useRef<HTMLInputElement>(null);
  useShortcut('/', texts.keys.search, () => field.current?.focus());
  const proposals = useMemo(() => proposalsFor(typed, facets.data, list.counts), [typed, facets.data, list.counts]);

  function take({ becomes }: Proposal): void {
    if (typeof becomes === 'string') type(becomes);
    else changeView({ text: '', ...becomes });
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'Backspace' && typed === '') {
      const last = tokensOf(view).at(-1);
      if (last !== undefined) changeView(last.without);
    }
    // Enter takes `port:22` without a choice in the list.
    const isChosen = event.currentTarget.getAttribute('aria-activedescendant') !== null;
    const [first] = proposals;
    if (event.key !== 'Enter' || isChosen || first === undefined || !typed.includes(':')) return;
    if (typeof first.becomes === 'string') return;
    event.preventDefault();
    take(first);
  }

  return (
    <search className={`${styles.filter} relative flex-1 min-w-0 [&_input]:ps-8`}>
      <Search aria-hidden="true" />
      <Combobox
        ref={field}
        label={texts.search}
        isLabelHidden
        placeholder={texts.searchHint}
        maxLength={MAX_TEXT}
        value={typed}
        onChange={type}
        suggestions={proposals}
        onTake={(taken) => take(taken as Proposal)}
        onKeyDown={onKeyDown}
      />
    </search>
  );
}
