/** Names of licences under which a package may be part of ours. */
export const PERMISSIVE: RegExp;
