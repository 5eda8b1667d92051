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
 * followed, since the secrets would go along to wherever it leads, and n8n would keep the whole body for that.
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
	// Both, since n8n joins the two as texts, which can lead elsewhere than what a URL makes of them.
	const goals = [originOf(url ?? uri ?? '', baseURL), originOf(baseURL ?? address)];
	const other = goals.find((goal) => goal !== own);
	if (own !== null && other === undefined) return { ...request, maxRedirects: 0 };
	const reason = other
		? `The request goes to ${other}, which is not the ${field} of the credential.`
		: `The ${field} of the credential is not an address such as https://example.com.`;
	throw new Error(`${reason} ${secrets} not sent.`);
}

function originOf(url: string, base?: string): string | null {
	return URL.canParse(url, base) ? new URL(url, base).origin : null;
}
