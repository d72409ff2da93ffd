/** The printed output of a tool, with buttons to copy and to download it. */
import commandTexts from 'messages:commands';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { numberText } from '../text/format.ts';
import { CopyButton, DownloadButton } from '../ui/copy-button.tsx';
import { plainText } from './plain-text.ts';

/** Characters; a browser needs seconds to draw a million. */
const MAX_SHOWN = 100_000;

interface HeadProps {
  title: string;
  copy: string;
  download: string;
  text: string;
  fileName: string;
  /** The media type. */
  type: string;
}

function Head({ title, copy, download, text, ...file }: HeadProps) {
  return (
    <div className="flex items-center gap-0.5 min-h-8">
      <span className="me-1.5 text-muted text-sm font-semibold">{title}</span>
      {text !== '' && (
        <>
          <CopyButton label={copy} text={text} />
          <DownloadButton label={download} text={text} {...file} />
        </>
      )}
    </div>
  );
}

export function Output({ text, fileName, isRunning }: { text: string; fileName: string; isRunning: boolean }) {
  const clean = useMemo(() => plainText(text), [text]);
  const box = useRef<HTMLPreElement>(null);
  const onScroll = useStayAtEnd(box, clean, isRunning);
  const leftOut = clean.length - MAX_SHOWN;
  if (clean === '' && isRunning) return null;
  const { output: title, copyOutput: copy, downloadOutput: download } = commandTexts;
  return (
    <div className="grid gap-1.5 min-w-0">
      <Head {...{ title, copy, download }} text={clean} fileName={`${fileName}.txt`} type="text/plain" />
      {leftOut > 0 ? (
        <p className="text-muted">{commandTexts.beginningLeftOut({ count: numberText(leftOut) })}</p>
      ) : null}
      {clean === '' ? (
        <p className="text-muted">{commandTexts.noOutput}</p>
      ) : (
        <pre
          ref={box}
          role="log"
          aria-label={commandTexts.output}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard (WCAG 2.1.1)
          tabIndex={0}
          className="max-h-120 p-3 border border-line rounded-control bg-sunken overflow-auto text-xs leading-[1.55] whitespace-pre-wrap wrap-anywhere"
          onScroll={onScroll}
        >
          {leftOut > 0 ? clean.slice(leftOut) : clean}
        </pre>
      )}
    </div>
  );
}

/** The buttons for the parsed result. */
export function ResultButtons({ result, fileName }: { result: unknown; fileName: string }) {
  const text = useMemo(() => JSON.stringify(result, null, 2), [result]);
  const { result: title, copyResult: copy, downloadResult: download } = commandTexts;
  return <Head {...{ title, copy, download, text }} fileName={`${fileName}.json`} type="application/json" />;
}

/** Keeps the end in view while output arrives, unless the person has scrolled up to read. */
function useStayAtEnd(box: RefObject<HTMLPreElement | null>, text: string, isRunning: boolean): () => void {
  const isAtEnd = useRef(isRunning);
  if (isRunning && text === '') isAtEnd.current = true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when text arrives
  useEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return () => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
  };
}
