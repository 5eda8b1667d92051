import type { IHttpRequestOptions } from 'n8n-workflow';

/** The address that a credential's secrets are for, and what errors call both. */
interface Own {
	address: string;
	field: string;
	/** With its verb: "The token was". */
	secrets: string;
}

/**
 * The request that a credential adds its secrets to: one to its own address, to which n8n keeps. A redirect is not
 * followed, since the secrets would go along to wherever it leads.
 *
 * @param request n8n's nodes name the target in `url`, its HTTP Request node in `uri`
 * @throws Error, without any secret, if it goes anywhere else
 */
export function keptToOrigin(
	request: IHttpRequestOptions,
	{ address, field, secrets }: Own,
): IHttpRequestOptions {
	const { url, uri, baseURL } = request as IHttpRequestOptions & { uri?: string };
	const own = originOf(address);
	const target = originOf(url ?? uri ?? '', baseURL);
	if (own !== null && target === own) {
		return { ...request, maxRedirects: 0 };
	}
	const reason =
		own === null || target === null
			? `The ${field} of the credential is not an address such as https://example.com.`
			: `The request goes to ${target}, which is not the ${field} of the credential.`;
	throw new Error(`${reason} ${secrets} not sent.`);
}

function originOf(url: string, base?: string): string | null {
	return URL.canParse(url, base) ? new URL(url, base).origin : null;
}
