import { z } from 'zod/v4';
import { registeredCertificate } from '../accounts/authority.ts';
import { conflict, found, notFound } from '../http/errors.ts';
import { certificateRecord, type Account, type RegisteredCertificate } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { accountAccessSchema, accountsWithSecrets } from './state.ts';

const time = z.iso.datetime({ offset: true });
const ofAccount = z.object({ name: z.string().describe('The name of the account: `direct`, say') });
const ofCertificate = ofAccount.extend({
	fingerprint: z.string().describe('SHA-256, or `current` for the first of the account'),
});

/** Control API for accounts: KYC, payments, certificates. */
export const ACCOUNT_ENDPOINTS = [
	controlEndpoint({
		method: 'get',
		path: '/accounts',
		id: 'getAccounts',
		summary: 'Tokens, certificates and keys',
		answer: json(z.strictObject({ accounts: z.array(accountAccessSchema) })),
		handle: (world) => ({ accounts: accountsWithSecrets(world) }),
	}),
	controlEndpoint({
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
	controlEndpoint({
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
	controlEndpoint({
		method: 'post',
		path: '/accounts/{name}/certificates',
		id: 'issueCertificate',
		summary: 'Issue and register a client certificate',
		params: ofAccount,
		answer: json(certificateRecord.extend({ key: z.string() }), 201),
		errors: { 409: ['The account has no valid KYC'] },
		async handle(world, { params }) {
			const verified = () => {
				const account = findAccount(world, params.name);
				// Rule TYPE-02.
				if (account.kyc) return account;
				throw conflict(`${account.name} has no valid KYC`);
			};
			const { name } = verified();
			const certificate = registeredCertificate(await world.host.issueCertificate(name));
			// The one that there is now: a reset may have come in between.
			const account = verified();
			account.certificates.push(certificate);
			world.store.put('accounts', account);
			return certificate;
		},
	}),
	controlEndpoint({
		method: 'patch',
		path: '/accounts/{name}/certificates/{fingerprint}',
		id: 'changeCertificate',
		summary: 'Set when a client certificate expires or was first used',
		params: ofCertificate,
		body: z.strictObject({ expiresAt: time.optional(), firstUsedAt: time.nullish() }),
		answer: json(certificateRecord),
		handle(world, { params, body: { expiresAt, firstUsedAt } }) {
			const account = findAccount(world, params.name);
			const certificate = findCertificate(account, params.fingerprint);
			if (expiresAt !== undefined) certificate.expiresAt = Date.parse(expiresAt);
			if (firstUsedAt !== undefined)
				certificate.firstUsedAt = firstUsedAt === null ? null : Date.parse(firstUsedAt);
			world.store.put('accounts', account);
			return certificate;
		},
	}),
	controlEndpoint({
		method: 'delete',
		path: '/accounts/{name}/certificates/{fingerprint}',
		id: 'removeCertificate',
		summary: 'Remove a client certificate from its account',
		params: ofCertificate,
		answer: json(certificateRecord),
		handle(world, { params }) {
			const account = findAccount(world, params.name);
			const certificate = findCertificate(account, params.fingerprint);
			account.certificates = account.certificates.filter((one) => one !== certificate);
			world.store.put('accounts', account);
			return certificate;
		},
	}),
];

export const findAccount = ({ store }: World, name: string): Account =>
	found(store.accountNamed(name), `account ${name}`);

/** `current` means the certificate the account was first registered with. */
function findCertificate({ name, certificates }: Account, which: string): RegisteredCertificate {
	const certificate =
		which === 'current'
			? certificates[0]
			: certificates.find(({ fingerprint }) => fingerprint === which);
	if (!certificate) throw notFound(`${name} has no such certificate`);
	return certificate;
}
