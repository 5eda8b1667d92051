import type { Ports } from '../test/n8n/stack.ts';

/** The usual ports; the next free one is used if one is taken. */
export const PORTS: Ports = { n8n: 5678, receiver: 8080, sandbox: 8443, page: 8025 };
