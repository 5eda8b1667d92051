import type { Break } from './break.ts';
import { CAPABILITIES } from './breaks/capabilities.ts';
import { CONSUMER } from './breaks/consumer.ts';
import { NODES } from './breaks/nodes.ts';
import { PROMISES } from './breaks/promises.ts';
import { RECEIVER } from './breaks/receiver.ts';
import { SENDING } from './breaks/sending.ts';
import { STORE } from './breaks/store.ts';

/** What can't be mutated as a pure function: order, locks, what is written and what is told. */
export const TABLE: readonly Break[] = [
	...SENDING,
	...NODES,
	...CONSUMER,
	...RECEIVER,
	...STORE,
	...CAPABILITIES,
	...PROMISES,
];
