interface FolderSize {
  source: number;
  tests: number;
}

export function trackedFiles(): string[];

export function measure(names: readonly string[]): {
  folders: Record<string, FolderSize>;
  longestFile: { name: string; lines: number };
  words: number;
};

export function bounds(): {
  folders: Record<string, FolderSize>;
  longestFile: number;
  words: number;
  rows: number;
  operations: number;
  /** Bounds that rose, each with the issue that allows it. */
  raised: { bound: string; by: number; issue: string }[];
};
