import { randomUUID } from 'crypto';

/**
 * Names this process to receivers, for as long as it lives: of two n8n with one identity only one may
 * pull, and an n8n that was killed has another name when it comes back.
 */
export const HOLDER = randomUUID();
