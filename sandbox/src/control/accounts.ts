import { z } from 'zod/v4';
import { registeredCertificate } from '../accounts/authority.ts';
import { conflict, found } from '../http/errors.ts';
import { certificateRecord, type Account } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';
import { accountAccessSchema, accountsWithSecrets } from './state.ts';

const ofAccount = z.object({ name: z.string().describe('The name of the account: `direct`, say') });

/** Control API for accounts: KYC, certificates. */
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
];

export const findAccount = ({ store }: World, name: string): Account =>
	found(store.accountNamed(name), `account ${name}`);
