import type { Ports } from '../test/n8n/stack.ts';

/** Where people expect things; the next free port is taken when one is in use. */
export const PORTS: Ports = { n8n: 5678, receiver: 8080, sandbox: 8443, page: 8025 };
