import { judgeResume } from '../../../webhook-receiver/src/wait/resume-policy.ts';
import type { ResumeAnswer, Verdict } from '../../../webhook-receiver/src/wait/resume-policy.ts';

const judge = (answer: ResumeAnswer, attempts = 1) =>
	judgeResume({ answer, attempts, random: 0, now: 0 });

const status = (code: number, text = '', retryAfter?: string): ResumeAnswer => ({
	...{ status: code, text, retryAfter },
});

it.each<[string, ResumeAnswer, Verdict]>([
	['200', status(200), { kind: 'resumed' }],
	['204', status(204), { kind: 'resumed' }],
	['404', status(404), { kind: 'retry', delayMs: 2_000 }],
	['409 running', status(409, 'is running already.'), { kind: 'retry', delayMs: 500 }],
	['409 of unknown wording', status(409), { kind: 'retry', delayMs: 500 }],
	[
		'409 finished',
		status(409, 'The execution "7 has finished already.'),
		{ kind: 'given-up', reason: 'the execution has finished' },
	],
	[
		'409 finished with error',
		status(409, 'The execution "7" has finished with error.'),
		{ kind: 'given-up', reason: 'the execution has finished' },
	],
	[
		'410',
		status(410),
		{ kind: 'given-up', reason: 'the execution does not wait for this any more' },
	],
	['500', status(500), { kind: 'retry', delayMs: 2_000 }],
	['503 that asks to wait', status(503, '', '120'), { kind: 'retry', delayMs: 120_000 }],
	['429', status(429), { kind: 'retry', delayMs: 2_000 }],
	['302', status(302), { kind: 'retry', delayMs: 2_000 }],
	['401', status(401), { kind: 'refused', delayMs: 2_000 }],
	['403', status(403), { kind: 'refused', delayMs: 2_000 }],
	['no answer', { status: null, error: 'ECONNREFUSED' }, { kind: 'retry', delayMs: 2_000 }],
])('%s', (_, answer, verdict) => {
	expect(judge(answer)).toEqual(verdict);
});

/** Until it is given up: how many attempts, over how many minutes. */
function persistence(answer: ResumeAnswer) {
	let minutes = 0;
	for (let attempts = 1; ; attempts++) {
		const verdict = judge(answer, attempts);
		if (verdict.kind === 'given-up') return { attempts, minutes };
		if (verdict.kind === 'resumed') throw new Error('not a failure');
		minutes += verdict.delayMs / 60_000;
	}
}

it('a 404 is tried for minutes, a running execution for a day, n8n away for three days', () => {
	const HOUR = 60;
	const gone = persistence(status(404));
	expect(gone.minutes).toBeGreaterThan(5);
	expect(gone.minutes).toBeLessThan(15);
	expect(persistence(status(409)).minutes).toBeGreaterThanOrEqual(24 * HOUR);
	for (const trouble of [status(500), status(401), { status: null, error: '' } as const]) {
		expect(persistence(trouble).minutes).toBeGreaterThan(72 * HOUR);
		expect(persistence(trouble).attempts).toBeLessThan(30);
	}
});
