/** The shells in which completion is tried, and what gives a test a terminal. */
export const SHELL_PACKAGES = ['bash', 'zsh', 'fish', 'bsdutils'] as const;
export const SHELL_PROGRAMS = ['bash', 'zsh', 'fish', 'script'] as const;
