/** A field for tags, with suggestions of existing tags. */
import texts from 'messages:siteChoice';
import { type KeyboardEvent, useState } from 'react';
import { NAME } from '../../shared/site-ref.ts';
import { useKnownSites } from '../api/known-sites.ts';
import { ChipList } from './chip.tsx';
import { Combobox } from './combobox.tsx';

interface Props {
  label: string;
  hint?: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
  error?: string | undefined;
  isLabelHidden?: boolean;
}

export function TagsField({ label, hint, value, onChange, error, isLabelHidden = false }: Props) {
  const { tags } = useKnownSites();
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const wanted = text.trim().toLowerCase();
  const suggestions = [...tags]
    .filter(([tag]) => !value.includes(tag) && tag.includes(wanted))
    .map(([tag, count]) => ({ value: tag, about: texts.sitesOf({ count }) }));

  function add(tag: string): void {
    const isRight = NAME.test(tag);
    setWrong(isRight ? null : texts.tagWrong);
    if (!isRight) return;
    setText('');
    if (!value.includes(tag)) onChange([...value, tag]);
  }

  function onKeyDown(event: KeyboardEvent): void {
    // With an active option, the key takes that one.
    const hasOption = (event.target as HTMLElement).hasAttribute('aria-activedescendant');
    if (!['Enter', ',', ' '].includes(event.key) || wanted === '' || hasOption || event.nativeEvent.isComposing) return;
    event.preventDefault();
    add(wanted);
  }

  return (
    <div className="grid gap-2">
      <Combobox
        label={label}
        isLabelHidden={isLabelHidden}
        hint={hint ?? texts.tagHint}
        error={wrong ?? error}
        placeholder={texts.addTag}
        autoCapitalize="none"
        maxLength={32}
        value={text}
        suggestions={suggestions}
        onChange={setText}
        onTake={({ value: tag }) => add(tag)}
        onKeyDown={onKeyDown}
        // Leaving the field adds the typed tag.
        onBlurCapture={() => wanted !== '' && add(wanted)}
      />
      {value.length > 0 && (
        <ChipList label={label} values={value} onRemove={(tag) => onChange(value.filter((one) => one !== tag))} />
      )}
    </div>
  );
}

export function TagList({ tags }: { tags: readonly string[] }) {
  return <ChipList label={texts.tags} values={tags} />;
}
