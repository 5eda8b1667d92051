import { Router } from 'express';
import { z } from 'zod/v4';
import { registeredCertificate } from '../accounts/certificates.ts';
import { iso } from '../world/clock.ts';
import { conflict, notFound } from '../http/errors.ts';
import { checked } from '../http/field-errors.ts';
import type { Account, RegisteredCertificate } from '../world/model.ts';
import { accountsWithSecrets } from './snapshot.ts';
import type { World } from '../world/world.ts';

const accountSchema = z.strictObject({
	name: z.string().min(1).max(100),
	company: z.string().min(1).max(1000),
	role: z.enum(['direct', 'reseller']),
	kyc: z.boolean().default(false),
});
const kycSchema = z.strictObject({ valid: z.boolean() });
const paymentSchema = z.strictObject({ accepted: z.boolean() });
const moment = z.iso.datetime({ offset: true });
const certificateSchema = z.strictObject({
	expiresAt: moment.optional(),
	firstUsedAt: moment.nullish(),
});

/** Control API for accounts: KYC, payments, certificates. */
export function accountControls(world: World): Router {
	const router = Router();
	router.get('/accounts', (_request, response) => {
		response.set('Cache-Control', 'no-store').json({ accounts: accountsWithSecrets(world) });
	});
	router.post('/accounts', (request, response) => {
		const wanted = checked(accountSchema, request.body);
		if (world.store.accounts.some(({ name }) => name === wanted.name))
			throw conflict(`There is an account ${wanted.name} already`);
		world.store.accounts.push({
			...wanted,
			id: world.ids.uuid(),
			token: world.ids.token(wanted.name),
			paymentRefused: false,
			certificates: [],
		});
		world.store.changed();
		response.status(201).json(accountsWithSecrets(world).at(-1));
	});
	router.put('/accounts/:name/kyc', (request, response) => {
		const account = findAccount(world, request.params.name);
		account.kyc = checked(kycSchema, request.body).valid;
		world.store.changed();
		response.json({ name: account.name, kyc: account.kyc });
	});
	router.put('/accounts/:name/payment', (request, response) => {
		const account = findAccount(world, request.params.name);
		account.paymentRefused = !checked(paymentSchema, request.body).accepted;
		world.store.changed();
		response.json({ name: account.name, accepted: !account.paymentRefused });
	});
	router.post('/accounts/:name/certificates', async (request, response) => {
		const account = findAccount(world, request.params.name);
		// Rule TYPE-02.
		if (!account.kyc) throw conflict(`${account.name} has no valid KYC`);
		const certificate = registeredCertificate(await world.issueCertificate(account.name));
		account.certificates.push(certificate);
		world.store.changed();
		response.status(201).json({ ...described(certificate), key: certificate.key });
	});
	router.patch('/accounts/:name/certificates/:fingerprint', (request, response) => {
		const account = findAccount(world, request.params.name);
		const certificate = findCertificate(account, request.params.fingerprint);
		const { expiresAt, firstUsedAt } = checked(certificateSchema, request.body);
		if (expiresAt !== undefined) certificate.expiresAt = Date.parse(expiresAt);
		if (firstUsedAt !== undefined)
			certificate.firstUsedAt = firstUsedAt === null ? null : Date.parse(firstUsedAt);
		world.store.changed();
		response.json(described(certificate));
	});
	router.delete('/accounts/:name/certificates/:fingerprint', (request, response) => {
		const account = findAccount(world, request.params.name);
		const certificate = findCertificate(account, request.params.fingerprint);
		account.certificates = account.certificates.filter((one) => one !== certificate);
		world.store.changed();
		response.json(described(certificate));
	});
	return router;
}

function findAccount({ store }: World, name: string): Account {
	const account = store.accounts.find((one) => one.name === name);
	if (!account) throw notFound(`There is no account ${name}`);
	return account;
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

const described = ({
	certificate,
	fingerprint,
	expiresAt,
	firstUsedAt,
}: RegisteredCertificate) => ({
	fingerprint,
	expiresAt: iso(expiresAt),
	firstUsedAt: firstUsedAt === null ? null : iso(firstUsedAt),
	certificate,
});
