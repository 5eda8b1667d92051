import { node } from '../../real-n8n/workflows.ts';
import { sharedN8n } from './stack.ts';

/** How to call a service: its authority, a token, and perhaps a client certificate. */
export interface Access {
	token: string;
	ca: string;
	cert?: string;
	key?: string;
}

/** What the sandbox requires for its account. */
export async function sandboxAccess(): Promise<Access> {
	const { sandbox } = (await sharedN8n()).stack;
	const account = sandbox.accounts.find(({ name }) => name === 'direct');
	if (!account) throw new Error('The sandbox has no account "direct".');
	const { token, certificate, key } = account;
	return { token, ca: sandbox.caCertificate, cert: certificate ?? '', key: key ?? '' };
}

/** An n8n HTTP Request node that calls a service like our nodes. */
export async function httpRequest(name: string, { token, ...tls }: Access, parameters: object) {
	const { api } = (await sharedN8n()).stack;
	const save = async (type: string, data: object) => {
		const title = `${type} of ${name}`;
		return { [type]: { id: await api.saveCredential(title, type, data), name: title } };
	};
	return node(
		name,
		'n8n-nodes-base.httpRequest',
		4.2,
		{
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			provideSslCertificates: true,
			options: {},
			...parameters,
		},
		{
			credentials: {
				...(await save('httpHeaderAuth', { name: 'X-API-TOKEN', value: token })),
				...(await save('httpSslAuth', tls)),
			},
		},
	);
}
