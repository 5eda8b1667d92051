import { Router } from 'express';

/** Paths as the interface writes them: case matters, and so does a slash at the end. */
export const exactRouter = () => Router({ caseSensitive: true, strict: true });
