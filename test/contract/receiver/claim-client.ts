// A node run's requests about its Send Once Keys; checks each answer against the contract.
import {
	claimSchema,
	claimsAnswerSchema,
} from '../../../webhook-receiver/src/core/claim-contract.ts';
import type { Claim } from '../../../webhook-receiver/src/core/claim-contract.ts';
import type { start } from './harness.ts';

export const ME = 'me-0000000000000';
export const YOU = 'you-000000000000';

/** What a key is used for: a registered letter. */
export const USED_FOR = {
	service: 'https://service.example',
	accounts: ['a'.repeat(43)],
	sender: null,
	type: 'LRE',
	recipients: 'b'.repeat(43),
	to: 'ada@recipients.example',
};

/** What a claim tells of the letter that is about to be sent. */
export const LETTER = {
	service: 'https://service.example',
	type: 'LRE',
	sender: null,
	recipients: ['ada@recipients.example'] as [string],
	fileReference: null,
	customerReference: null,
	workflow: { id: 'w1', name: 'Reminders' },
	executionId: '7',
};

type Manage = Awaited<ReturnType<typeof start>>['manage'];

export function claimClient({ manage }: { manage: Manage }) {
	const put = async (key: string, change: object): Promise<Claim> => {
		const { status, body } = await manage('PUT', `/claims/${key}`, change);
		expect(status).toBe(200);
		return claimSchema.unwrap().strict().parse(body);
	};
	return {
		put,
		claim: (holder: string, key = 'k', more: object = {}) =>
			put(key, { state: 'leaving', holder, leaseSeconds: 60, ...more }),
		sent: (holder: string, key = 'k', answer: object = { id: '1' }) =>
			put(key, { state: 'sent', holder, answer }),
		unknown: (holder: string, key = 'k', reason = 'cut off') =>
			put(key, { state: 'unknown', holder, reason }),
		free: (holder: string, key = 'k') => put(key, { state: 'free', holder }),
		get: async (key = 'k') => (await manage('GET', `/claims/${key}`)).body,
		list: async (search = '') => {
			const { status, body } = await manage('GET', `/claims${search}`);
			expect(status).toBe(200);
			return body as unknown as { data: Claim[]; next: number | null };
		},
		all: async (claims: object[]): Promise<Claim[]> => {
			const { status, body } = await manage('PUT', '/claims', { claims });
			expect(status).toBe(200);
			return claimsAnswerSchema.parse(body).claims;
		},
	};
}

/** One change of `PUT /claims`. */
export const claiming = (key: string, holder: string, more: object = {}) => ({
	key,
	state: 'leaving' as const,
	holder,
	leaseSeconds: 60,
	takeUnknown: false,
	...more,
});
