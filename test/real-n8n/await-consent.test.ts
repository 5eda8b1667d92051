// Await Consent over kills of n8n and of a receiver. By which output each leaves: examples.test.ts and
// test/in-process/await-consent.test.ts.
import { until } from '../n8n/poll.ts';
import { sandboxState } from '../support/sandbox.ts';
import { AWAIT_CONSENT, publishAwaitingConsent, untilAsleep, woken } from './awaiting.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(200_000);

useStack({
	ownProcesses: true,
	receiverEnv: { WATCH_DELAYS: '0s:1s', WATCH_RATE_LIMIT: '6000' },
});

it('killed while they sleep: reminded once, and woken by the answer', async () => {
	const gus = { email: 'gus@contacts.example', firstname: 'Gus', lastname: 'Martin' };
	const mails = async () =>
		(await sandboxState(stack.sandbox)).mails.filter(({ to }) => to === gus.email).length;
	const { fallAsleep } = await publishAwaitingConsent(stack, { remindAfterDays: 15 / 86_400 });
	const [id] = await fallAsleep(files.offer([gus]));
	await stack.n8n.kill();
	await stack.killReceiver();
	await stack.startReceiver();
	await stack.startN8n();
	await until('the reminder', async () => (await mails()) === 2);
	await untilAsleep(stack, id);
	await stack.killReceiver();
	await stack.n8n.kill();
	const [consent] = (await sandboxState(stack.sandbox)).consents;
	await stack.sandbox.control('POST /consents/{id}/{answer}', { id: consent.id, answer: 'accept' });
	await stack.startN8n();
	await stack.startReceiver();
	const { status, runs } = await woken(stack, id);
	const left = runs[AWAIT_CONSENT][0].map((items) => items.length);
	expect([status, left, await mails()]).toEqual(['success', [1, 0, 0], 2]);
});
