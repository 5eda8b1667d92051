import { createHmac } from 'node:crypto';
import { verify } from '../../../webhook-receiver/src/core/verify.ts';
import { hmacVerifier } from '../../../webhook-receiver/src/core/verifiers/hmac.ts';
import type { HmacConfig } from '../../../webhook-receiver/src/core/verifiers/hmac.ts';
import {
	headerText,
	replayRefusal,
} from '../../../webhook-receiver/src/core/verifiers/read-headers.ts';

const NOW = 1_769_851_800_000;
const SECONDS = NOW / 1000;
const BODY = Buffer.from('{"event":"aes_sent"}');
const CONFIG: HmacConfig = {
	secrets: ['new-secret', 'old-secret'],
	header: 'x-signature',
	timestampHeader: 'x-timestamp',
	template: '{timestamp}.{body}',
};

const sign = (text: string, secret = 'new-secret', encoding: 'hex' | 'base64' = 'hex') =>
	createHmac('sha256', secret).update(text).digest(encoding);
const signed = (seconds: number | string, secret?: string) => ({
	'x-timestamp': String(seconds),
	'x-signature': sign(`${seconds}.${BODY}`, secret),
});
const check = async (headers: Record<string, string>, config = CONFIG, body = BODY) => {
	const request = { headers, body, now: NOW };
	return (await verify([hmacVerifier(config)], request, 'any')).refusal;
};

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
	['hex with prefix', `sha256=${sign('BODY')}`],
	['upper case hex', sign('BODY').toUpperCase()],
	['base64', sign('BODY', 'new-secret', 'base64')],
	['base64 with prefix', `sha256=${sign('BODY', 'new-secret', 'base64')}`],
] as const)(
	'[EVNT-04][R] reads %s; without a timestamp in the template any time is good',
	async (_, signature) => {
		const config = { ...CONFIG, template: '{body}' };
		expect(await check({ 'x-signature': signature }, config, Buffer.from('BODY'))).toBeNull();
	},
);

describe('[EVNT-04][R] how the signature is written', () => {
	const body = Buffer.from('BODY');
	const outcome = (signature: string) =>
		check({ 'x-signature': signature }, { ...CONFIG, template: '{body}' }, body);
	const hex = sign('BODY');
	const base64 = sign('BODY', 'new-secret', 'base64');

	it.each([
		`sha-256=${hex}`,
		`SHA256=${hex}`,
		`a=${hex}`,
		`abcdefghijklmnop=${hex}`,
		`  ${hex}  `,
		base64.replace(/=+$/, ''),
		`v1=${base64}`,
		`${hex}, ${hex}`,
		`v0=${hex.replace(/./g, '0')},v1=${hex}`,
		`v1=${base64} v1=${sign('other', 'new-secret', 'base64')}`,
		`t=${SECONDS};h1=${hex}`,
		`v1=none,v1=${sign('BODY', 'old-secret')}`,
	])('%s is read', async (signature) => {
		expect(await outcome(signature)).toBeNull();
	});

	it.each([
		`abcdefghijklmnopq=${hex}`,
		`=${hex}`,
		`sha256==${hex}`,
		`sha_256=${hex}`,
		`!sha256=${hex}`,
		`${hex}00`,
		`${hex}zz`,
		`zz${hex}`,
		`t=${SECONDS}`,
		`t=${SECONDS},v1=`,
		',',
		`!sha256=${base64}`,
		`AAAA${base64}`,
	])('%s is malformed', async (signature) => {
		expect(await outcome(signature)).toBe('hmac: signature missing or malformed');
	});
});

describe('[EVNT-04][R] what is signed', () => {
	it.each([
		['{timestamp}.{body}', `${SECONDS}.BODY`],
		['{body}{timestamp}', `BODY${SECONDS}`],
		['v0:{timestamp}:{body}', `v0:${SECONDS}:BODY`],
		['{body}{body}', 'BODYBODY'],
		['{"data":{body}}', '{"data":BODY}'],
	])('the template %s stands for %s', async (template, text) => {
		const headers = { 'x-timestamp': String(SECONDS), 'x-signature': sign(text) };
		const config = { ...CONFIG, template };
		expect(await check(headers, config, Buffer.from('BODY'))).toBeNull();
		expect(await check(headers, config, Buffer.from('BODy'))).toBe(
			'hmac: signature does not match',
		);
	});

	it('the body byte for byte, also where it is no text', async () => {
		const body = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
		const hmac = createHmac('sha256', 'new-secret').update(body).digest('hex');
		const config = { ...CONFIG, template: '{body}' };
		expect(await check({ 'x-signature': hmac }, config, body)).toBeNull();
		expect(
			await check({ 'x-signature': hmac }, config, Buffer.from(body.toString())),
		).not.toBeNull();
	});

	it.each([
		['t=%,v1=#', String(SECONDS)],
		['v1=#, ts=%', `${SECONDS}.5`],
		['t=%;h1=#;h1=none', `${SECONDS}000`],
		['T=%,v1=none,v1=#', '2026-01-31T09:30:00Z'],
	])('the time that stands beside its signature: %s', async (form, time) => {
		const header = (at: string) => form.replace('%', at).replace('#', sign(`${time}.BODY`));
		const outcome = (signature: string, timestamp?: string) =>
			check(
				{ 'x-signature': signature, ...(timestamp && { 'x-timestamp': timestamp }) },
				CONFIG,
				Buffer.from('BODY'),
			);
		expect(await outcome(header(time))).toBeNull();
		// It is the one that counts.
		expect(await outcome(header(time), String(SECONDS - 1))).toBeNull();
		expect(await outcome(header(String(SECONDS - 1)), time)).toMatch(/does not match/);
		expect(await outcome(header(String(SECONDS - 301)))).toMatch(/outside of the replay window/);
		expect(await outcome(header('soon'))).toMatch(/timestamp missing or malformed/);
	});

	it('a time outside of the window is told from one that is none', async () => {
		expect(await check(signed(SECONDS - 301))).toMatch(/outside of the replay window/);
		expect(await check(signed('now'))).toMatch(/timestamp missing or malformed/);
	});
});

describe('[EVNT-04][R] the time of signing', () => {
	const WINDOW = 300_000;
	it.each([
		['seconds', '1769851800', NOW],
		['milliseconds', '1769851800123', 1_769_851_800_123],
		['seconds with decimals', '1769851800.123456', 1_769_851_800_123],
		['milliseconds with decimals', '1769851800123.4', 1_769_851_800_123],
		['ISO 8601', '2026-01-31T09:30:00Z', NOW],
		['ISO 8601 with decimals', '2026-01-31T09:30:00.123Z', 1_769_851_800_123],
		['ISO 8601 with an offset', '2026-01-31T10:30:00+01:00', NOW],
	])('%s', (_, text, at) => {
		for (const now of [at - WINDOW, at, at + WINDOW]) {
			expect(replayRefusal(text, now)).toBeNull();
		}
		for (const now of [at - WINDOW - 1, at + WINDOW + 1]) {
			expect(replayRefusal(text, now)).toMatch(/outside/);
		}
	});

	it.each(['', 'now', '99999999', '17698518001234', '-1769851800', '1769851800 s', '1,769851800'])(
		'%j is none',
		(text) => {
			expect(replayRefusal(text, NOW)).toMatch(/missing or malformed/);
		},
	);

	it.each([
		[' text ', 'text'],
		[['one', 'two'], ''],
		[undefined, ''],
	])('a header %j reads as %j', (value, text) => {
		expect(headerText({ 'x-one': value }, 'x-one')).toBe(text);
	});
});
