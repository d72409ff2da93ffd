/** A release of the agent: its packages and their digests. Its text is signed as a whole, and every installer verifies that first. */
import * as z from 'zod';
import { Millis } from '../time.ts';
import { RELEASE_VERSION } from './version-order.ts';

export { compareVersions, isOlder } from './version-order.ts';

/** Three numbers with dots between them, as `1.20.3`. */
export const ReleaseVersion = z.string().max(20).regex(RELEASE_VERSION, { error: 'expected a version such as 1.2.3' });

/**
 * `deb-…`: a Debian package for that architecture; `npm`: a tarball that npm installs, on any Linux and on macOS;
 * `program`: the agent's program alone, in gzip, with which an agent updates itself.
 */
const PACKAGE_KINDS = ['deb-amd64', 'deb-arm64', 'deb-armhf', 'npm', 'program'] as const;
export const PackageKind = z.enum(PACKAGE_KINDS);
export type PackageKind = z.infer<typeof PackageKind>;

export const ReleaseFile = z.object({
  kind: PackageKind,
  /** Its name below `/agent/packages/`. */
  name: z
    .string()
    .max(100)
    .regex(/^[a-z0-9][\w.-]*$/),
  bytes: z
    .int()
    .min(1)
    .max(200 * 1024 * 1024),
  /** Hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ReleaseFile = z.infer<typeof ReleaseFile>;

export const Release = z.object({
  version: ReleaseVersion,
  /** The protocol that its agent speaks: see `PROTOCOL_VERSION`. */
  protocol: z.int().min(1),
  /** The oldest Node.js that runs it, as `20.19.0`; the .debs for amd64 and arm64 bring their own. */
  node: ReleaseVersion,
  files: z.array(ReleaseFile).max(20),
});
export type Release = z.infer<typeof Release>;

/** The longest accepted text of a release, in bytes. */
export const MAX_RELEASE_BYTES = 16 * 1024;

/** The update in an agent's plan. */
export const PlannedUpdate = z.object({ version: ReleaseVersion });
export type PlannedUpdate = z.infer<typeof PlannedUpdate>;

/** The state of updates in an agent's presence. */
export const UpdateState = z.object({
  /** Whether it can update itself: a supervisor restarts it when it ends, and its own policy allows it. */
  able: z.boolean(),
  /** The last release that it tried, and the outcome. */
  last: z
    .object({
      version: ReleaseVersion,
      state: z.enum(['installing', 'done', 'failed']),
      /** Why it failed, for a person. */
      reason: z.string().max(300).nullable(),
      /** Unix, ms. */
      at: Millis,
    })
    .nullable(),
});
export type UpdateState = z.infer<typeof UpdateState>;
