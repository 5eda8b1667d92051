import { RegisteredDeliveryWebhookApi } from '../../credentials/RegisteredDeliveryWebhookApi.credentials.ts';
import { RegisteredDeliveryDirectTrigger } from '../../nodes/RegisteredDeliveryDirectTrigger/RegisteredDeliveryDirectTrigger.node.ts';
import { testCredential } from '../support/n8n-core.ts';

const properties = new RegisteredDeliveryWebhookApi().properties;
/** What n8n fills in where the user left a field alone. */
const defaults = Object.fromEntries(properties.map(({ name, default: value }) => [name, value]));
const check = async (change: object) =>
	await testCredential(new RegisteredDeliveryDirectTrigger(), 'registeredDeliveryWebhookApiTest', {
		...defaults,
		...change,
	});

const whsec = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

it.each<object>([
	{ secrets: 'secret-1' },
	{ secrets: 'secret-1', otherSecret: 'secret-2' },
	{ scheme: 'sharedSecret', secrets: 'secret-1' },
	{ scheme: 'basic', secrets: 'user:pass,word', otherSecret: 'other:pass:word' },
	{ scheme: 'standardWebhooks', secrets: whsec, otherSecret: whsec },
])('the editor’s test says that %j is complete, and that it cannot say more', async (change) => {
	expect(await check(change)).toEqual({
		status: 'OK',
		message: expect.stringMatching(/complete.*first event shows/),
	});
});

it.each<[string, object]>([
	["'Secret' is empty.", {}],
	["'Secret' is empty.", { scheme: 'sharedSecret', otherSecret: 'secret-1' }],
	['fewer than 8 characters.', { secrets: 'secret-1', otherSecret: 'short' }],
	['has a space at its beginning or end', { secrets: 'secret-1\n' }],
	['has a space at its beginning or end', { scheme: 'basic', secrets: ' user:password' }],
	["'Signed Content' must contain {body}", { secrets: 'secret-1', template: '{timestamp}' }],
	["'Signed Content' must contain {body}", { secrets: 'secret-1', template: '{body}{id}' }],
	["'Signature Header' is not", { secrets: 'secret-1', signatureHeader: 'x y' }],
	["'Timestamp Header' is not", { secrets: 'secret-1', timestampHeader: '' }],
	["'Secret Header' is not", { scheme: 'sharedSecret', secrets: 'secret-1', headerName: 'a:b' }],
	["'User' is empty.", { scheme: 'basic' }],
	[
		'is not user:password',
		{ scheme: 'basic', secrets: 'user:password', otherSecret: 'user:short' },
	],
	['is not user:password', { scheme: 'basic', secrets: 'password-only' }],
	['is not whsec_', { scheme: 'standardWebhooks', secrets: `${whsec},${whsec}` }],
	['not whsec_', { scheme: 'standardWebhooks', secrets: 'secret-1' }],
	['unknown value', { scheme: 'jwt', secrets: 'secret-1' }],
])('the editor’s test says "%s"', async (fault, change) => {
	const { status, message } = await check(change);
	expect(status).toBe('Error');
	expect(message).toContain(fault);
	expect(message).not.toMatch(/secret-1|short,|password-only/);
});
