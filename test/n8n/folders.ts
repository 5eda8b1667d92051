import { join } from 'node:path';

/** The repository's root: every project command runs from there. */
export const root = process.cwd();

/** Files in neither the repository nor the tarball: installations, databases, logs. */
export const localFolder = join(root, '.local');

/** Where `scripts/install.mjs` puts the pinned n8n. */
export const pinnedN8n = join(localFolder, 'n8n-host');
