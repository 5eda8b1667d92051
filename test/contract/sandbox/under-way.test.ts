// What is under way while another world takes the place of this one, by a reset or a restore: it was
// about accounts, letters and customers that are gone, and changes nothing in the new one.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';

import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { accountOf, control, form, letter, sendOne, stateOf } from './client.ts';
import { PNG } from './images.ts';

const sandbox = useSandbox({ automatic: false });
beforeEach(() => control(sandbox, '/snapshots/base', { method: 'PUT' }));

/** Sends the head of a request, and its body once the service has begun with it and `meanwhile` is over. */
async function askInTwo(
	[method, path, as]: string[],
	body: object | FormData,
	meanwhile: () => Promise<unknown>,
): Promise<string> {
	const { certificate: cert, key, token } = accountOf(sandbox, as!);
	const whole = new Response(body instanceof FormData ? body : JSON.stringify(body));
	const bytes = Buffer.from(await whole.arrayBuffer());
	const type = body instanceof FormData ? whole.headers.get('content-type') : 'application/json';
	const socket = connect({
		host: 'localhost',
		port: Number(new URL(sandbox.url).port),
		ca: sandbox.caCertificate,
		cert: cert!,
		key: key!,
	});
	const headers = [`X-API-TOKEN: ${token}`, `Content-Type: ${type}`, 'Connection: close'];
	const size = [`Content-Length: ${bytes.length}`, 'Expect: 100-continue'];
	socket.write(
		[`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers, ...size, '', ''].join('\r\n'),
	);
	await once(socket, 'data');
	await meanwhile();
	socket.write(bytes);
	return text(socket);
}

/** The world, but for what each has of its own from the moment it is made. */
async function world() {
	const mask = (key: string, value: unknown) =>
		/^(now|userId|createdAt|updatedAt)$/.test(key) ? null : value;
	return JSON.parse(JSON.stringify(await stateOf(sandbox), mask)) as object;
}

const REPLACED = {
	reset: () => control(sandbox, '/reset'),
	restore: () => control(sandbox, '/snapshots/base/restore'),
};

describe.each(Object.entries(REPLACED))('while there is a %s', (_name, replace) => {
	const customers = () => accountOf(sandbox, 'reseller').customers;
	const logo = () => new File([new Uint8Array(PNG)], 'logo.png');
	const asked = ['A', 'a@customers.example', 'true', 'true'];

	it.each<[string, () => Promise<[string[], object | FormData]> | [string[], object | FormData]]>([
		['a letter', () => [['POST', '/messages/bulk_send', 'direct'], letter()]],
		[
			'the first use of a certificate',
			() => [['POST', '/messages/bulk_send', 'direct'], letter({ type: 'LRE' })],
		],
		[
			'a resend',
			async () => [['POST', `/messages/${await sendOne(sandbox, {})}/resend`, 'direct'], {}],
		],
		[
			'consents',
			() => [
				['POST', '/consents/bulkStore', 'direct'],
				{ type: 'EMAIL', recipients: letter().recipients },
			],
		],
		[
			'a logo',
			() => [['PUT', `/customers/${customers()[0]!.id}/logo`, 'reseller'], form(['logo', logo()])],
		],
		[
			'customers',
			() => [
				['POST', '/customers/bulk_store', 'reseller'],
				form(
					...['name', 'email', 'isPaying', 'willSendLre'].map((name, index): [string, string] => [
						`customers[0].${name}`,
						asked[index]!,
					]),
					['customers[0].logo', logo()],
				),
			],
		],
	])('%s under way is refused, and nothing of it is left', async (_what, request) => {
		await replace();
		const before = await world();
		const [head, body] = await request();
		const answer = await askInTwo(head, body, replace);
		expect(answer).toMatch(/HTTP\/1\.1 503 .*"code":"world-replaced"/s);
		expect(await world()).toEqual(before);
	});

	it('what a fault delays is refused too', async () => {
		await control(sandbox, '/faults', {
			body: { faults: [{ fault: { kind: 'delay', ms: 300 } }] },
		});
		const answer = await askInTwo(['POST', '/messages/bulk_send', 'direct'], letter(), replace);
		expect(answer).toMatch(/HTTP\/1\.1 503 /);
		expect((await stateOf(sandbox)).messages).toEqual([]);
	});
});

it('a reset brings the seeds back under their IDs, so that what was known of them is true', async () => {
	const before = (await control(sandbox, '/accounts', { method: 'GET' })).json;
	await control(sandbox, '/reset');
	expect((await control(sandbox, '/accounts', { method: 'GET' })).json).toEqual(before);
	const sender = accountOf(sandbox, 'reseller').customers[0]!.id;
	await sendOne(sandbox, { sender }, { as: 'reseller' });
});

it('certificates made meanwhile go to the account that there is then', async () => {
	const body = { accepted: false };
	await control(sandbox, '/accounts/direct/payment', { method: 'PUT', body });
	const issue = () => control(sandbox, '/accounts/direct/certificates');
	const issued = Promise.all(Array.from({ length: 10 }, issue));
	await control(sandbox, '/reset');
	expect(new Set((await issued).map(({ status }) => status))).toEqual(new Set([201]));
	const { accounts } = await stateOf(sandbox);
	expect(accounts).toHaveLength(3);
	expect(accounts[0]).toMatchObject({ name: 'direct', paymentRefused: false });
});
