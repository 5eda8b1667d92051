import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Beside `src` and `dist`: what it has goes to browsers as it is. `style.css` is the receiver's, too. */
export const PAGE_FOLDER = fileURLToPath(new URL('../../page', import.meta.url));

/** The look that our own style sheets build on. */
export const SIMPLE_CSS = createRequire(import.meta.url).resolve('simpledotcss/simple.min.css');
