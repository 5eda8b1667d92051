import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { StoredFile } from '../shared/sending/attachments';
import { StreamedForm, type FilePart } from '../shared/transport/multipart';
import type { Recipient } from '../shared/recipients/recipients';
import { transferTimeout, type ServiceRequest } from '../shared/transport/service';

/** A checked letter, ready to go out (interface, Send request). */
export interface Letter {
	/** Fields of the request except recipients and files, by the interface's names. */
	fields: { type: string; body: string } & Partial<{
		fileReference: string;
		customerReference: string;
		sender: string;
		includeSenderLogo: boolean;
		scheduledAt: string;
	}>;
	recipients: Recipient[];
	attachments: StoredFile[];
}

/** Equal for letters that differ only in their recipients. */
export function contentKey({ fields, attachments }: Letter): string {
	const files = attachments.map(({ fileName, mimeType, size, origin }) => [
		fileName,
		mimeType,
		size,
		origin,
	]);
	const content = JSON.stringify([Object.entries(fields).sort(), files]);
	return createHash('sha256').update(content).digest('base64url');
}

/** The request that sends a letter: JSON without files, else multipart, with indexed recipients (SEND-09). */
export function sendRequest({ fields, recipients, attachments }: Letter): ServiceRequest {
	const request = { method: 'POST', path: '/messages/bulk_send' } as const;
	if (attachments.length === 0) {
		return { ...request, body: { ...fields, recipients } as unknown as IDataObject };
	}
	const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
	const form = { ...Object.fromEntries(texts), ...formRecipients(recipients) };
	return {
		...request,
		body: new StreamedForm(form, attachments),
		timeout: transferTimeout(totalSize(attachments)),
	};
}

/** Recipients as fields of a form (interface, Send request). */
export function formRecipients(recipients: Recipient[]): Record<string, string> {
	const fields = recipients.flatMap((recipient, index) =>
		Object.entries(recipient).map(([name, value]) => [`recipients[${index}].${name}`, value]),
	);
	return Object.fromEntries(fields);
}

export function totalSize(files: FilePart[]): number {
	return files.reduce((sum, { size }) => sum + size, 0);
}
