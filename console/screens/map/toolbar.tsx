/** Search, filter and zoom of the topology, and what can be done with it. */
import { Download, Maximize, Move, ZoomIn, ZoomOut } from 'lucide-react';
import { useRef } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { useShortcut } from '../../ui/keys.ts';
import styles from './map.module.css';
import { texts } from './texts.ts';
import type { Zoom } from './use-zoom.ts';

interface Props {
  text: string;
  /** How many devices the search has found; null without a search. */
  found: number | null;
  isDownOnly: boolean;
  mayMove: boolean;
  zoom: Zoom;
  onText: (text: string) => void;
  onDownOnly: (isDownOnly: boolean) => void;
  onNextFound: () => void;
  onMove: () => void;
  onSave: () => void;
}

export function Toolbar(props: Props) {
  const { text, found, isDownOnly, mayMove, zoom } = props;
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', texts.search, () => input.current?.focus());
  useShortcut('+', texts.enlarge, zoom.enlarge);
  useShortcut('-', texts.reduce, zoom.reduce);
  useShortcut('0', texts.fit, zoom.fit);
  return (
    <div className={styles.toolbar}>
      <div className={styles.search}>
        <TextField
          ref={input}
          type="search"
          label={texts.search}
          isLabelHidden
          placeholder={texts.searchHint}
          maxLength={256}
          value={text}
          onChange={({ target }) => props.onText(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && props.onNextFound()}
        />
        <span className={styles.found} role="status">
          {found === null ? '' : texts.found(found)}
        </span>
      </div>
      <CheckField
        label={texts.downOnly}
        checked={isDownOnly}
        onChange={({ target }) => props.onDownOnly(target.checked)}
      />
      <div className={styles.spring} />
      <div className={styles.group}>
        <IconButton label={texts.reduce} onClick={zoom.reduce}>
          <ZoomOut />
        </IconButton>
        <IconButton label={texts.enlarge} onClick={zoom.enlarge}>
          <ZoomIn />
        </IconButton>
        <IconButton label={texts.fit} onClick={zoom.fit}>
          <Maximize />
        </IconButton>
      </div>
      <div className={styles.group}>
        {mayMove ? (
          <Button onClick={props.onMove}>
            <Move aria-hidden="true" />
            {texts.move}
          </Button>
        ) : null}
        <Button onClick={props.onSave}>
          <Download aria-hidden="true" />
          {texts.save}
        </Button>
      </div>
    </div>
  );
}
