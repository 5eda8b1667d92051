import { z } from 'zod/v4';
import { BundleError, readBundle, registeredCertificate } from '../accounts/bundle.ts';
import { conflict, found, invalid, notFound } from '../http/errors.ts';
import { certificateSchema, type Account, type RegisteredCertificate } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { endpoint, json, text } from './endpoint.ts';
import { accountAccessSchema, accountsWithSecrets } from './state-schemas.ts';

const moment = z.iso.datetime({ offset: true });
const ofAccount = z.object({ name: z.string().describe('The name of the account: `direct`, say') });
const ofCertificate = ofAccount.extend({
	fingerprint: z.string().describe('SHA-256, or `current` for the first of the account'),
});

/** Control API for accounts: KYC, payments, certificates. */
export const ACCOUNT_ENDPOINTS = [
	endpoint({
		method: 'get',
		path: '/accounts',
		id: 'getAccounts',
		summary: 'Tokens, certificates and keys',
		answer: json(z.strictObject({ accounts: z.array(accountAccessSchema) })),
		handle: (world) => ({ accounts: accountsWithSecrets(world) }),
	}),
	endpoint({
		method: 'post',
		path: '/accounts',
		id: 'createAccount',
		summary: 'Add an account; a reset removes it',
		body: z.strictObject({
			name: z.string().min(1).max(100),
			company: z.string().min(1).max(1000),
			role: z.enum(['direct', 'reseller']),
			kyc: z.boolean().default(false),
		}),
		answer: json(accountAccessSchema, 201),
		errors: { 409: 'An account with this name already exists' },
		handle(world, { body }) {
			if (world.store.accountNamed(body.name))
				throw conflict(`An account ${body.name} already exists`);
			const id = world.ids.uuid();
			const token = world.ids.token(body.name);
			const rest = { paymentRefused: false, certificates: [] };
			world.store.put('accounts', { ...body, ...rest, id, token });
			return accountsWithSecrets(world).at(-1)!;
		},
	}),
	endpoint({
		method: 'put',
		path: '/accounts/{name}/kyc',
		id: 'setKyc',
		summary: 'End or renew the verification of an account’s identity',
		params: ofAccount,
		body: z.strictObject({ valid: z.boolean() }),
		answer: json(z.strictObject({ name: z.string(), kyc: z.boolean() })),
		handle(world, { params, body }) {
			const account = findAccount(world, params.name);
			account.kyc = body.valid;
			world.store.put('accounts', account);
			return { name: account.name, kyc: account.kyc };
		},
	}),
	endpoint({
		method: 'put',
		path: '/accounts/{name}/payment',
		id: 'setPayment',
		summary: 'Accept or refuse the payments of an account: while refused, resends get a 402',
		params: ofAccount,
		body: z.strictObject({ accepted: z.boolean() }),
		answer: json(z.strictObject({ name: z.string(), accepted: z.boolean() })),
		handle(world, { params, body }) {
			const account = findAccount(world, params.name);
			account.paymentRefused = !body.accepted;
			world.store.put('accounts', account);
			return { name: account.name, accepted: body.accepted };
		},
	}),
	endpoint({
		method: 'post',
		path: '/accounts/{name}/certificates',
		id: 'issueCertificate',
		summary: 'Issue and register a client certificate, or register one of your own',
		params: ofAccount,
		body: z.strictObject({
			pem: z
				.string()
				.max(100_000)
				.optional()
				.describe(
					'One made elsewhere, self-signed or of any authority, with its chain and key if you like',
				),
		}),
		answer: json(certificateSchema.extend({ key: z.string().nullable() }), 201),
		errors: { 409: 'The account has no valid KYC, or has this certificate already' },
		async handle(world, { params, body: { pem } }) {
			const verified = () => {
				const account = findAccount(world, params.name);
				// Rule TYPE-02.
				if (account.kyc) return account;
				throw conflict(`${account.name} has no valid KYC`);
			};
			const { name } = verified();
			const certificate =
				pem === undefined
					? registeredCertificate(await world.issueCertificate(name))
					: ownCertificate(pem, world.clock.now());
			// The one that there is now: a reset may have come in between.
			const account = verified();
			if (account.certificates.some(({ fingerprint }) => fingerprint === certificate.fingerprint))
				throw conflict(`${account.name} has this certificate already`);
			account.certificates.push(certificate);
			world.store.put('accounts', account);
			return { ...certificateSchema.parse(certificate), key: certificate.key };
		},
	}),
	endpoint({
		method: 'get',
		path: '/accounts/{name}/client.pem',
		id: 'getClientPem',
		summary: 'An account’s first client certificate with a known key, and the key',
		params: ofAccount,
		answer: text('application/x-pem-file', z.string()),
		handle(world, { params }) {
			const { name, certificates } = findAccount(world, params.name);
			const known = certificates.find(({ key }) => key !== null);
			if (!known) throw notFound(`${name} has no client certificate whose key is known`);
			return `${known.certificate.trimEnd()}\n${known.key}`;
		},
	}),
	endpoint({
		method: 'patch',
		path: '/accounts/{name}/certificates/{fingerprint}',
		id: 'changeCertificate',
		summary: 'Set when a client certificate expires or was first used',
		params: ofCertificate,
		body: z.strictObject({ expiresAt: moment.optional(), firstUsedAt: moment.nullish() }),
		answer: json(certificateSchema),
		handle(world, { params, body: { expiresAt, firstUsedAt } }) {
			const account = findAccount(world, params.name);
			const certificate = findCertificate(account, params.fingerprint);
			if (expiresAt !== undefined) certificate.expiresAt = Date.parse(expiresAt);
			if (firstUsedAt !== undefined)
				certificate.firstUsedAt = firstUsedAt === null ? null : Date.parse(firstUsedAt);
			world.store.put('accounts', account);
			return certificateSchema.parse(certificate);
		},
	}),
	endpoint({
		method: 'delete',
		path: '/accounts/{name}/certificates/{fingerprint}',
		id: 'removeCertificate',
		summary: 'Remove a client certificate from its account',
		params: ofCertificate,
		answer: json(certificateSchema),
		handle(world, { params }) {
			const account = findAccount(world, params.name);
			const certificate = findCertificate(account, params.fingerprint);
			account.certificates = account.certificates.filter((one) => one !== certificate);
			world.store.put('accounts', account);
			return certificateSchema.parse(certificate);
		},
	}),
];

export const findAccount = ({ store }: World, name: string): Account =>
	found(store.accountNamed(name), `account ${name}`);

function ownCertificate(pem: string, now: number): RegisteredCertificate {
	try {
		return readBundle(pem, now);
	} catch (error) {
		if (!(error instanceof BundleError)) throw error;
		throw invalid({ field: 'pem', rule: 'pem', message: error.message });
	}
}

/** `current` means the certificate the account was first registered with. */
function findCertificate({ name, certificates }: Account, which: string): RegisteredCertificate {
	const certificate =
		which === 'current'
			? certificates[0]
			: certificates.find(({ fingerprint }) => fingerprint === which);
	if (!certificate) throw notFound(`${name} has no such certificate`);
	return certificate;
}
