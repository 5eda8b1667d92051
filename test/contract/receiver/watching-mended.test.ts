// The service refuses the receiver's credentials until a person mends them: from then on polling goes
// on at once. The clock stands unless a test moves it.
import { ManualClock, cleanUp, start, until } from './harness.ts';
import { SERVICE_TOKEN, pollService } from './watching/service.ts';

const ID = '000000000001';
const MINUTE = 60_000;

afterEach(cleanUp);

/** A receiver whose token was replaced at the service two hours ago, and a letter accepted since. */
async function refused() {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	let valid = 'the-new-token-of-tests';
	service.trouble = () => (service.polls.at(-1)?.token === valid ? null : { status: 401 });
	service.messages.set(ID, { status: 'ACCEPTED', evidences: ['SENT', 'ACCEPTED'] });
	const begin = (token: string, folder?: string) =>
		start({ folder, env: service.env({ SERVICE_TOKEN: token }), dependencies: { clock } });
	let receiver = await begin(SERVICE_TOKEN);
	await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'LRE' });
	// A round trip after each minute, for what has fallen due.
	for (let minute = 0; minute < 120; minute++) {
		clock.advance(MINUTE);
		await receiver.manage('GET', `/watches/${ID}`);
	}
	const { length: polls } = service.polls;
	return {
		clock,
		service,
		polls,
		restart: async (token: string) => {
			await receiver.close();
			receiver = await begin(token, receiver.folder);
			return receiver;
		},
		/** At the service. */
		accept: (token: string) => (valid = token),
		now: () => receiver,
		isSeen: async () => {
			const { body } = await receiver.manage('GET', '/events');
			return (body.data as Array<{ type: string }>).some(({ type }) => type === 'letter.accepted');
		},
	};
}

it('a letter that is refused for hours stays due: one poll every five minutes', async () => {
	const { polls } = await refused();
	expect(polls).toBeGreaterThan(15);
	expect(polls).toBeLessThan(25);
});

it('a start polls at once', async () => {
	const { restart, isSeen } = await refused();
	await restart('the-new-token-of-tests');
	await until(isSeen, 'the letter is seen');
});

it('a start with others that are refused too polls once, then waits for the five minutes', async () => {
	const { clock, service, polls, restart, isSeen, accept } = await refused();
	const { manage } = await restart('a-mistyped-token-of-tests');
	await until(() => service.polls.length === polls + 1, 'one more poll');
	accept('a-mistyped-token-of-tests');
	for (let trip = 0; trip < 10; trip++) await manage('GET', `/watches/${ID}`);
	expect(service.polls).toHaveLength(polls + 1);
	clock.advance(6 * MINUTE);
	await until(isSeen, 'the letter is seen');
});

it('whoever asks for it polls at once, as the button of the page does', async () => {
	const { service, polls, now, accept, isSeen } = await refused();
	expect(await now().manage('POST', '/watches/retry')).toMatchObject({ status: 204 });
	await until(() => service.polls.length === polls + 1, 'one more poll');
	accept(SERVICE_TOKEN);
	expect(await now().manage('POST', '/watches/retry')).toMatchObject({ status: 204 });
	await until(isSeen, 'the letter is seen');
	const { body } = await now().manage('GET', '/watches/service');
	expect(body).toMatchObject({ problem: null });
});

describe('customers too, of which a refused account seems to have none', () => {
	async function refusedCustomers() {
		const clock = new ManualClock();
		const service = await pollService(clock.now);
		service.lists.customers = [{ id: '3f1c6c0e-8b7a-4a5e-9a56-0e4b8f2d7c11', state: 'PENDING' }];
		service.listTrouble = (path) => (path.startsWith('/customers') ? { status: 401 } : null);
		const receiver = await start({ env: service.env(), dependencies: { clock } });
		await receiver.pulled();
		const asked = () => service.pages.filter((path) => path.startsWith('/customers')).length;
		await until(() => {
			clock.advance(50);
			return asked() === 1;
		}, 'the customers to be refused');
		// Behind what the page said.
		await receiver.manage('GET', '/watches');
		service.listTrouble = () => null;
		return { clock, service, receiver, asked };
	}

	it('with a start', async () => {
		const { clock, service, receiver, asked } = await refusedCustomers();
		const begun = clock.now();
		await receiver.close();
		const env = service.env({ SERVICE_TOKEN: 'the-new-token-of-tests' });
		await start({ folder: receiver.folder, env, dependencies: { clock } });
		await until(() => {
			clock.advance(1);
			return asked() === 2;
		}, 'the customers to be asked for again');
		expect(clock.now() - begun).toBeLessThan(MINUTE);
	});

	it('when a person asks for it', async () => {
		const { clock, receiver, asked } = await refusedCustomers();
		await receiver.atRest();
		await receiver.manage('POST', '/watches/retry');
		for (let seconds = 0; seconds < 5; seconds++) {
			clock.advance(1_000);
			await receiver.atRest();
		}
		expect(asked()).toBe(2);
	});
});
