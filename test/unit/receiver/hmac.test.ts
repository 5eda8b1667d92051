import { createHmac } from 'node:crypto';
import { acceptAnyone, verify } from '../../../webhook-receiver/src/verify.ts';
import { hmacVerifier } from '../../../webhook-receiver/src/verifiers/hmac.ts';
import type { HmacConfig } from '../../../webhook-receiver/src/verifiers/hmac.ts';

const NOW = 1_769_851_800_000;
const SECONDS = NOW / 1000;
const BODY = Buffer.from('{"event":"aes_sent"}');
const CLIENT = { address: null, certificate: null, isTrustedProxy: false };
const CONFIG: HmacConfig = {
	secrets: ['new-secret', 'old-secret'],
	header: 'x-signature',
	timestampHeader: 'x-timestamp',
	encoding: 'hex',
	template: '{timestamp}.{body}',
};

const sign = (text: string, secret = 'new-secret', encoding: 'hex' | 'base64' = 'hex') =>
	createHmac('sha256', secret).update(text).digest(encoding);
const signed = (seconds: number | string, secret?: string) => ({
	'x-timestamp': String(seconds),
	'x-signature': sign(`${seconds}.${BODY}`, secret),
});
const check = (headers: Record<string, string>, config = CONFIG, body = BODY) =>
	verify([hmacVerifier(config)], { headers, body, now: NOW, client: CLIENT });

it.each(['new-secret', 'old-secret'])(
	'[EVNT-04][R] accepts what is signed with the %s',
	async (secret) => {
		expect(await check(signed(SECONDS, secret))).toBeNull();
	},
);

it.each([
	[-300, true],
	[-299, true],
	[299, true],
	[-301, false],
	[301, false],
])('[EVNT-04][R] a signature of %d s from now is in the window: %s', async (skew, accepted) => {
	expect((await check(signed(SECONDS + skew))) === null).toBe(accepted);
});

it.each([
	['nothing', {}],
	['no timestamp', { 'x-signature': sign(`${SECONDS}.${BODY}`) }],
	['no signature', { 'x-timestamp': String(SECONDS) }],
	['another secret', signed(SECONDS, 'other')],
	['another time', { ...signed(SECONDS - 1), 'x-timestamp': String(SECONDS) }],
	[
		'half a signature',
		{ ...signed(SECONDS), 'x-signature': sign(`${SECONDS}.${BODY}`).slice(0, 32) },
	],
	['a time that is none', signed('now')],
	['an empty signature', { ...signed(SECONDS), 'x-signature': '' }],
])('[EVNT-04][R] refuses %s', async (_, headers) => {
	expect(await check(headers as Record<string, string>)).not.toBeNull();
});

it('[EVNT-04][R] refuses a body that was tampered with', async () => {
	expect(await check(signed(SECONDS), CONFIG, Buffer.from('{"event":"aes_Sent"}'))).not.toBeNull();
});

it.each([
	['hex with prefix', 'hex', `sha256=${sign('BODY')}`],
	['upper case hex', 'hex', sign('BODY').toUpperCase()],
	['base64', 'base64', sign('BODY', 'new-secret', 'base64')],
	['base64 with prefix', 'base64', `sha256=${sign('BODY', 'new-secret', 'base64')}`],
] as const)(
	'[EVNT-04][R] reads %s; without a timestamp in the template any time is good',
	async (_, encoding, signature) => {
		const config = { ...CONFIG, encoding, template: '{body}' };
		expect(await check({ 'x-signature': signature }, config, Buffer.from('BODY'))).toBeNull();
	},
);

it('[EVNT-04][R] with no verifier nobody gets in, unless the operator said so', async () => {
	const request = { headers: {}, body: BODY, now: NOW, client: CLIENT };
	expect(await verify([], request)).not.toBeNull();
	expect(await verify([acceptAnyone], request)).toBeNull();
});

it('[EVNT-04][R] one verifier that accepts is enough, and refusals are told apart', async () => {
	const request = { headers: {}, body: BODY, now: NOW, client: CLIENT };
	expect(await verify([hmacVerifier(CONFIG), acceptAnyone], request)).toBeNull();
	expect(await verify([hmacVerifier(CONFIG)], request)).toBe(
		'hmac: signature missing or malformed',
	);
});
