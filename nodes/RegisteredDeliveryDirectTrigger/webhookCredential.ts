import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { basicVerifier } from '../../webhook-receiver/src/core/verifiers/basic';
import { hmacVerifier } from '../../webhook-receiver/src/core/verifiers/hmac';
import { sharedSecretVerifier } from '../../webhook-receiver/src/core/verifiers/shared-secret';
import { standardWebhooksVerifier } from '../../webhook-receiver/src/core/verifiers/standard-webhooks';
import type { Verifier } from '../../webhook-receiver/src/core/verify';

/** n8n's type of the credential. */
export const WEBHOOK_CREDENTIAL = 'registeredDeliveryWebhookApi';

/** Its fields. */
export interface WebhookCredential {
	scheme: 'hmac' | 'sharedSecret' | 'basic' | 'standardWebhooks';
	/** For Basic, `user:password`. */
	secrets?: string;
	/** Another one, while it is replaced. */
	otherSecret?: string;
	signatureHeader?: string;
	timestampHeader?: string;
	template?: string;
	headerName?: string;
}

/** A verifier for the service's requests, or what is wrong with the credential. */
type ReadVerifier = { verifier: Verifier; faults: [] } | { verifier: null; faults: string[] };

/** Reads the credential by the receiver's rules and with its verifiers (rule EVNT-04). */
export function readVerifier(credential: WebhookCredential): ReadVerifier {
	const { scheme } = credential;
	const read = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined;
	if (!read) return { verifier: null, faults: ["'Scheme' has an unknown value."] };
	const faults: string[] = [];
	const verifier = read(credential, (isRight, fault) => {
		if (!isRight) faults.push(fault);
	});
	return faults.length > 0 ? { verifier: null, faults } : { verifier, faults: [] };
}

/**
 * The editor's test of the credential. No request can prove the secret: that shows only when the
 * service calls. So it checks what can be checked, and says what it did not.
 */
export async function registeredDeliveryWebhookApiTest(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const { faults } = readVerifier((data ?? {}) as unknown as WebhookCredential);
	if (faults.length > 0) return { status: 'Error', message: faults.join(' ') };
	return {
		status: 'OK',
		message:
			'The fields are complete. Only the first event shows whether the service uses the same secret.',
	};
}

type Check = (isRight: boolean, fault: string) => void;

const SCHEMES: Record<
	WebhookCredential['scheme'],
	(credential: WebhookCredential, check: Check) => Verifier
> = {
	hmac({ signatureHeader, timestampHeader, template = '', ...credential }, check) {
		check(
			isTemplate(template),
			"'Signed Content' must contain {body}. The only other placeholder is {timestamp}.",
		);
		check(isHeader(signatureHeader), "'Signature Header' is not a valid header name.");
		check(isHeader(timestampHeader), "'Timestamp Header' is not a valid header name.");
		return hmacVerifier({
			secrets: readSecrets(credential, check),
			header: lowerCase(signatureHeader),
			timestampHeader: lowerCase(timestampHeader),
			template,
		});
	},

	sharedSecret({ headerName, ...credential }, check) {
		check(isHeader(headerName), "'Secret Header' is not a valid header name.");
		const config = { secrets: readSecrets(credential, check), header: lowerCase(headerName) };
		return sharedSecretVerifier(config);
	},

	basic(credential, check) {
		const all = readBoth(credential, 'User', check);
		const areRight = all.every((user) => /^[^:]+:.{8,}$/.test(user));
		check(
			areRight,
			"'User' or 'Other User' is not user:password with a password of at least 8 characters.",
		);
		return basicVerifier(all);
	},

	standardWebhooks(credential, check) {
		const all = readSecrets(credential, check);
		const areRight = all.every((secret) => /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret));
		check(
			areRight,
			"'Secret' or 'Other Secret' is not whsec_ followed by 24 to 64 bytes in Base64.",
		);
		return standardWebhooksVerifier(all);
	},
};

type Secrets = Pick<WebhookCredential, 'secrets' | 'otherSecret'>;

function readSecrets(credential: Secrets, check: Check): string[] {
	const all = readBoth(credential, 'Secret', check);
	check(
		all.every(({ length }) => length >= 8),
		"'Secret' or 'Other Secret' has fewer than 8 characters.",
	);
	return all;
}

/** As they are: any character may be part of one, but no space that was pasted with it. */
function readBoth(
	{ secrets = '', otherSecret = '' }: Secrets,
	field: 'Secret' | 'User',
	check: Check,
): string[] {
	check(secrets.trim() !== '', `'${field}' is empty.`);
	const all = [secrets, otherSecret].filter((one) => one.trim() !== '');
	check(
		all.every((one) => one === one.trim()),
		`'${field}' or 'Other ${field}' has a space at its beginning or end. Remove it.`,
	);
	return all;
}

function lowerCase(text = ''): string {
	return text.trim().toLowerCase();
}

function isHeader(text: string | undefined): boolean {
	return /^[a-z0-9-]+$/.test(lowerCase(text));
}

function isTemplate(template: string): boolean {
	const names: string[] = template.match(/\{[^}]*\}/g) ?? [];
	return names.includes('{body}') && names.every((name) => /^\{(body|timestamp)\}$/.test(name));
}
