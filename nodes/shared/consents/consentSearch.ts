import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { searchList } from '../fields/listSearch';

/** Consents that have no answer yet, for the picker (interface, GET /consents; rule CONS-07). */
export async function searchPendingConsents(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const nameOf = (consent: IDataObject) => (isPending(consent) ? contactOf(consent) : null);
	return await searchList(this, { path: '/consents', nameOf }, filter, paginationToken);
}

/** Pending consents requested by email, so that the contact can be reminded (rule CONS-08). */
export async function searchRemindableConsents(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const nameOf = (consent: IDataObject) =>
		consent.type === 'EMAIL' && isPending(consent) ? contactOf(consent) : null;
	return await searchList(this, { path: '/consents', nameOf }, filter, paginationToken);
}

const isPending = ({ state }: IDataObject) => state === 'PENDING';

function contactOf({ firstName, lastName, company, email }: IDataObject): string {
	const name = String(company || [firstName, lastName].filter(Boolean).join(' '));
	return name === '' ? String(email) : `${name} (${String(email)})`;
}
