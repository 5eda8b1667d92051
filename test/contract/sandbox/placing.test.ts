// Letters that a test puts there: what has happened to them stays so, whatever their address would do.
import fc from 'fast-check';
import { TRIGGERS } from '../../../sandbox/src/delivery/lifecycle.ts';
import { plannedSteps, TEST_ADDRESSES } from '../../../sandbox/src/delivery/test-address.ts';
import { MESSAGE_TYPES } from '../../../sandbox/src/state/model.ts';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { advance, call, control, sendOne, person, stateOf } from './client.ts';
import { ownSandbox } from './own.ts';

const place = (sandbox: Sandbox, ...letters: object[]) =>
	control(sandbox, '/letters', { body: { letters } });

const messagesOf = async (sandbox: Sandbox) => (await stateOf(sandbox)).messages;
const triggersOf = ({ history }: { history: Array<{ what: string }> }) =>
	history.map(({ what }) => what).filter((what) => what !== 'send');

it('an address goes on with its own steps only where nothing else has happened, in every world', async () => {
	const sandbox = await ownSandbox({ automatic: true, deliveryDelayMs: 1000 });
	const letters = fc.record({
		type: fc.constantFrom(...MESSAGE_TYPES),
		email: fc.constantFrom('ada', ...TEST_ADDRESSES).map((local) => `${local}@mail.example`),
		happens: fc.array(fc.constantFrom(...TRIGGERS), { maxLength: 4 }),
	});
	await control(sandbox, '/clock', { method: 'PUT', body: { frozen: true } });
	await fc.assert(
		fc.asyncProperty(letters, async (letter) => {
			await control(sandbox, '/reset');
			await control(sandbox, '/clock', { method: 'PUT', body: { frozen: true } });
			// Impossible histories end where they become so.
			await place(sandbox, letter);
			const [placed] = await messagesOf(sandbox);
			const happened = triggersOf(placed);
			await advance(sandbox, 60_000);
			const [later] = await messagesOf(sandbox);
			const steps = placed.sentAt === null ? [] : plannedSteps(letter.email, letter.type);
			const goesOn = happened.every((what, index) => what === steps[index]);
			expect(triggersOf(later)).toEqual(
				goesOn ? [...happened, ...steps.slice(happened.length)] : happened,
			);
		}),
		{ numRuns: 150, seed: 1 },
	);
});

it('the same with what somebody does to a letter that was sent', async () => {
	const sandbox = await ownSandbox({ automatic: true, deliveryDelayMs: 3_600_000 });
	const id = await sendOne(sandbox, { type: 'AES', ...person('ada') });
	await control(sandbox, `/messages/${id}/bounce`);
	await advance(sandbox, 7_200_000);
	expect((await messagesOf(sandbox))[0].status).toBe('UNDELIVERED');
});

describe('a placed letter takes', () => {
	it('a company, a sender, references and an attachment', async () => {
		const sandbox = await ownSandbox();
		const { json } = await control(sandbox, '/state', { method: 'GET' });
		const customer = json.customers[0].id as string;
		const placed = await control(sandbox, '/letters', {
			body: {
				account: 'reseller',
				letters: [
					{
						type: 'AES',
						email: 'open@mail.example',
						company: 'Analytical Engines',
						identifier: '0123.456.749',
						identifierType: 'BCE',
						fileReference: 'FILE-1',
						customerReference: 'CUSTOMER-1',
						sender: customer.toUpperCase(),
						attachments: [{ name: 'terms.txt', content: btoa('Terms'), contentType: 'text/plain' }],
						happens: ['deliver'],
					},
				],
			},
		});
		expect(placed.status).toBe(201);
		const { messages, mails } = await stateOf(sandbox);
		expect(messages[0]).toMatchObject({
			sender: customer,
			fileReference: 'FILE-1',
			customerReference: 'CUSTOMER-1',
			contact: {
				company: 'Analytical Engines',
				firstname: null,
				lastname: null,
				identifier: '0123.456.749',
				identifierType: 'BCE',
			},
		});
		const [link] = mails[0].links;
		expect(link).toMatchObject({ name: 'terms.txt', size: 5 });
		expect((await call(sandbox, link.path, { as: null })).bytes.toString()).toBe('Terms');
	});

	it.each([
		['a legal person without identifier, as an LRE', { type: 'LRE', company: 'Engines' }],
		['an identifier of another form', { company: 'Engines', identifier: '12' }],
		['a customer of nobody', { sender: '00000000-0000-4000-8000-000000000000' }],
		[
			'two files in tracked mail',
			{ attachments: ['a', 'b'].map((name) => ({ name, content: '' })) },
		],
		['a file that is no base64', { attachments: [{ name: 'a', content: '?' }] }],
	])('not %s: nothing is placed', async (_, wrong) => {
		const sandbox = await ownSandbox();
		const right = { type: 'AES', email: 'ada@mail.example' };
		expect((await place(sandbox, right, { ...right, ...wrong })).status).toBe(422);
		expect(await messagesOf(sandbox)).toEqual([]);
	});
});
