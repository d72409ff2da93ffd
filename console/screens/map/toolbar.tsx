/** Search, views, zoom and actions of the map. */
import texts from 'messages:map';
import { History, Maximize, Minus, Move, Plus } from 'lucide-react';
import { useRef } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { Zoom } from './use-zoom.ts';

export type ViewName = keyof typeof texts.viewNames;

interface Filter {
  text: string;
  isDownOnly: boolean;
}

interface Props {
  view: ViewName;
  views: readonly ViewName[];
  filter: Filter;
  found: number | null;
  isPastOpen: boolean;
  mayMove: boolean;
  zoom: Zoom;
  onView: (view: ViewName) => void;
  onFilter: (filter: Filter) => void;
  onNextFound: () => void;
  onPast: () => void;
  onFold: (isOpen: boolean) => void;
  onMove: () => void;
  onSave: (format: 'svg' | 'png') => void;
}

export function Toolbar(props: Props) {
  const { view, views, filter, found, isPastOpen, mayMove, zoom } = props;
  const change = (part: Partial<Filter>) => props.onFilter({ ...filter, ...part });
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', texts.search, () => input.current?.focus());
  useShortcut('+', texts.enlarge, zoom.enlarge);
  useShortcut('-', texts.reduce, zoom.reduce);
  useShortcut('0', texts.fit, zoom.fit);
  const isDrawn = view !== 'list';
  return (
    <div className="flex flex-wrap items-center gap-y-2 gap-x-3">
      <Tabs
        label={texts.views}
        tabs={Object.fromEntries(views.map((name) => [name, texts.viewNames[name]])) as typeof texts.viewNames}
        value={view}
        onChange={props.onView}
      />
      <div className="flex flex-[1_1_180px] items-center gap-2.5 max-w-80 [&>:first-child]:flex-1">
        <TextField
          ref={input}
          type="search"
          label={texts.search}
          isLabelHidden
          placeholder={texts.searchHint}
          maxLength={256}
          value={filter.text}
          onChange={({ target }) => change({ text: target.value })}
          onKeyDown={({ key }) => key === 'Enter' && props.onNextFound()}
        />
        <span className="text-muted whitespace-nowrap" role="status">
          {found === null ? '' : texts.found({ count: found })}
        </span>
      </div>
      <CheckField
        label={texts.downOnly}
        checked={filter.isDownOnly}
        onChange={({ target }) => change({ isDownOnly: target.checked })}
      />
      <div className="flex-1" />
      <div className="flex flex-wrap gap-1">
        {isDrawn ? (
          <>
            <IconButton label={texts.reduce} icon={<Minus />} onClick={zoom.reduce} />
            <IconButton label={texts.enlarge} icon={<Plus />} onClick={zoom.enlarge} />
            <IconButton label={texts.fit} icon={<Maximize />} onClick={zoom.fit} />
          </>
        ) : null}
        <Button aria-pressed={isPastOpen} onClick={props.onPast} icon={<History />}>
          {texts.past}
        </Button>
        <Menu
          label={texts.actions}
          items={[
            ...(mayMove
              ? [{ label: texts.move, icon: <Move aria-hidden="true" />, hint: 'm', run: props.onMove }]
              : []),
            { label: texts.openAll, run: () => props.onFold(true) },
            { label: texts.closeAll, run: () => props.onFold(false) },
            ...(isDrawn
              ? [
                  { label: texts.savePng, run: () => props.onSave('png') },
                  { label: texts.saveSvg, run: () => props.onSave('svg') },
                ]
              : []),
          ]}
        />
      </div>
    </div>
  );
}
