/** The shells in which completion is tried, what gives a test a terminal, and what the guides use. */
export const SHELL_PACKAGES = ['bash', 'zsh', 'fish', 'bsdutils', 'curl', 'jq'] as const;
export const SHELL_PROGRAMS = ['bash', 'zsh', 'fish', 'script', 'curl', 'jq'] as const;
