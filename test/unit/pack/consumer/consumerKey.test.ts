import fc from 'fast-check';

import { consumerKey, instanceName } from '../../../../nodes/shared/consumer/consumerKey.ts';
import {
	consumerKeySchema,
	instanceOf,
} from '../../../../webhook-receiver/src/core/pull-contract.ts';

const instance = 'f'.repeat(64);

it('names workflow, node and kind of run as n8n does', () => {
	const node = '00000000-0000-4000-8000-000000000002';
	const key = consumerKey(instance, 'Ab_c-1', node, 'production');
	expect(key).toBe(`${instance}~Ab_c-1~${node}~production`);
});

it('is a key to the receiver, and another for another node, whatever ids there are', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (n8n, workflow, one, other) => {
			const key = consumerKey(n8n, workflow, one, 'test');
			expect(consumerKeySchema.parse(key)).toBe(key);
			expect(instanceOf(key)).toBe(instanceName(n8n));
			expect(consumerKey(n8n, workflow, other, 'test') === key).toBe(one === other);
		}),
	);
	expect(() =>
		consumerKeySchema.parse(consumerKey(instance, 'w'.repeat(90), 'n'.repeat(90), 'production')),
	).not.toThrow();
});
