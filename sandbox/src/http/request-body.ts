import type { NextFunction, Request, Response } from 'express';
import express from 'express';
import type { z } from 'zod/v4';
import { badRequest, invalid, serviceError } from './errors.ts';
import { formToObject } from './form-fields.ts';
import { MAX_FIELD_BYTES, readMultipart, type UploadedFile, type UploadOptions } from './upload.ts';

/** A request body with its files, the same for either encoding (rule SEND-09). */
interface ReceivedBody {
	sent: object;
	files: UploadedFile[];
}

/** Whether there may be no body. */
export const isOptional = (body: z.ZodObject): boolean => body.safeParse({}).success;

const NOTHING: ReceivedBody = { sent: {}, files: [] };

const json = express.json({ limit: MAX_FIELD_BYTES });

/** Reads JSON or multipart; anything else is 415, and so is a missing body unless optional. */
export async function readBody(
	request: Request,
	response: Response,
	body: z.ZodObject,
	options: UploadOptions,
): Promise<ReceivedBody> {
	const { files: wanted } = options;
	if (isOptional(body) && !hasBody(request)) return NOTHING;
	if (request.is('multipart/form-data')) {
		const { fields, files } = await readMultipart(request, options);
		return { sent: formToObject(fields, body), files };
	}
	// What is no form has no file either: that is what its endpoint says.
	if (wanted?.described === 'one') return NOTHING;
	if (!request.is('json')) {
		const why = 'Send application/json or multipart/form-data';
		throw serviceError(415, 'unsupported-media-type', why);
	}
	await new Promise<void>((resolve, reject) => {
		const next: NextFunction = (error) => (error ? reject(error as Error) : resolve());
		json(request, response, next);
	});
	const sent: unknown = request.body;
	if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
		throw badRequest('The body must be a JSON object');
	return { sent: wanted ? withoutFiles(sent, wanted.field) : sent, files: [] };
}

/** Whether a body comes with the request. */
const hasBody = ({ headers }: Request): boolean =>
	headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Files are parts of a form, never JSON; a list of none says so itself. */
function withoutFiles(sent: object, field: string): object {
	const { [field]: files = [], ...rest } = sent as Record<string, unknown>;
	if (files === null || (Array.isArray(files) && files.length === 0)) return rest;
	throw invalid({ field, rule: 'maxLength', message: `${field} are parts of a form, never JSON` });
}
