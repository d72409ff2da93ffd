/** What a tool has printed, as text, with ways to take it along. */
import commandTexts from 'messages:commands';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { numberText } from '../text/format.ts';
import { CopyButton, DownloadButton } from '../ui/copy-button.tsx';
import { plainText } from './plain-text.ts';

const PART_HEAD = 'flex items-center gap-0.5 min-h-8';
const PART_TITLE = 'me-1.5 text-muted text-sm font-semibold';

/** Characters that are drawn; a browser needs seconds for a million of them. */
const MAX_SHOWN = 100_000;

export function Output({ text, fileName, isRunning }: { text: string; fileName: string; isRunning: boolean }) {
  const clean = useMemo(() => plainText(text), [text]);
  const box = useRef<HTMLPreElement>(null);
  const onScroll = useStayAtEnd(box, clean, isRunning);
  const leftOut = clean.length - MAX_SHOWN;
  if (clean === '' && isRunning) return null;
  return (
    <div className="grid gap-1.5 min-w-0">
      <div className={PART_HEAD}>
        <span className={PART_TITLE}>{commandTexts.output}</span>
        {clean === '' ? null : (
          <>
            <CopyButton label={commandTexts.copyOutput} text={clean} />
            <DownloadButton
              label={commandTexts.downloadOutput}
              fileName={`${fileName}.txt`}
              type="text/plain"
              text={clean}
            />
          </>
        )}
      </div>
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
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
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

/** Takes the parsed result along, as the API has it. */
export function ResultButtons({ result, fileName }: { result: unknown; fileName: string }) {
  const json = useMemo(() => JSON.stringify(result, null, 2), [result]);
  return (
    <div className={PART_HEAD}>
      <span className={PART_TITLE}>{commandTexts.result}</span>
      <CopyButton label={commandTexts.copyResult} text={json} />
      <DownloadButton
        label={commandTexts.downloadResult}
        fileName={`${fileName}.json`}
        type="application/json"
        text={json}
      />
    </div>
  );
}

/** Keeps the end in view while text comes, unless somebody has scrolled up to read. */
function useStayAtEnd(box: RefObject<HTMLPreElement | null>, text: string, isRunning: boolean): () => void {
  const isAtEnd = useRef(isRunning);
  if (isRunning && text === '') isAtEnd.current = true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when text has come
  useEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return () => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
  };
}
