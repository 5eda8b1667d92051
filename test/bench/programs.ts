/** Programs that stand beside the receiver's own `main.ts`, built of its parts. */
export const STORELESS = new URL('./program-storeless.ts', import.meta.url);
export const ONE_COMMIT_EACH = new URL('./program-one-commit-each.ts', import.meta.url);
