import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { uploadTimeout, type StoredFile } from '../shared/attachments';
import { StreamedForm, type FilePart } from '../shared/multipart';
import type { Recipient } from '../shared/recipients';
import type { ServiceRequest } from '../shared/service';

/** A letter that has been checked and is ready to go out (interface, Send request). */
export interface Letter {
	/** Fields of the request but recipients and files, named as the interface names them. */
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

/** Tells letters apart that differ in anything but their recipients. */
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
	const form: Record<string, string> = {};
	for (const [name, value] of Object.entries(fields)) form[name] = String(value);
	for (const [index, recipient] of recipients.entries()) {
		for (const [name, value] of Object.entries(recipient)) {
			form[`recipients[${index}].${name}`] = value;
		}
	}
	return {
		...request,
		body: new StreamedForm(form, attachments),
		timeout: uploadTimeout(totalSize(attachments)),
	};
}

export function totalSize(files: FilePart[]): number {
	return files.reduce((sum, { size }) => sum + size, 0);
}
