import type { ClaimsRequest } from '../../../webhook-receiver/src/core/claim-contract.ts';
import { quantile } from '../measure.ts';
import { MANAGEMENT_TOKEN, startReceiver } from '../parts/receiver.ts';
import { defineRow } from '../row.ts';

const HOLDER = 'execution-of-the-benchmark';
const KEYS = 20;

/** What asking a receiver costs a mailing: while twenty letters leave, the twenty before are settled. */
export const claims = defineRow({
	name: 'claims',
	peer: null,
	lines: {
		claims: {
			what: 'one request that settles 20 letters and begins the records of 20 more, p50',
			unit: 'ms',
			goal: 'ours',
			must: 10,
			aim: 5,
		},
	},
	rounds: 3,
	warmUp: true,
	async start(short) {
		const { url } = await startReceiver();
		let letters = 0;
		const put = async (body: ClaimsRequest) => {
			const began = performance.now();
			const answer = await fetch(`${url}/claims`, {
				method: 'PUT',
				headers: {
					authorization: `Bearer ${MANAGEMENT_TOKEN}`,
					'content-type': 'application/json',
				},
				body: JSON.stringify(body),
			});
			if (!answer.ok) throw new Error(`Claims were answered ${answer.status}.`);
			await answer.arrayBuffer();
			return performance.now() - began;
		};
		return {
			async ours() {
				const times: number[] = [];
				for (let n = 0; n < (short ? 3 : 200); n++) {
					const first = letters;
					letters += KEYS;
					const begun = Array.from({ length: KEYS }, (_, at) => leaving(first + at));
					const ended = first === 0 ? [] : begun.map((_, at) => sent(first - KEYS + at));
					times.push(await put({ claims: [...ended, ...begun] }));
				}
				return { claims: quantile(times, 0.5) };
			},
		};
	},
});

const keyOf = (letter: number) => `invoice-${letter}`;

function leaving(letter: number): ClaimsRequest['claims'][number] {
	return {
		key: keyOf(letter),
		state: 'leaving',
		holder: HOLDER,
		leaseSeconds: 600,
		name: keyOf(letter),
		letter: {
			service: 'https://service.example',
			type: 'LRE',
			sender: null,
			recipients: [`reader-${letter}@recipients.example`],
			fileReference: keyOf(letter),
			customerReference: null,
			workflow: { id: 'benchmark', name: 'Benchmark' },
			executionId: '1',
		},
	};
}

function sent(letter: number): ClaimsRequest['claims'][number] {
	const messageIds = [String(letter).padStart(12, '0')];
	return { key: keyOf(letter), state: 'sent', holder: HOLDER, answer: {}, messageIds };
}
