import type { NextFunction, Request, Response } from 'express';
import express from 'express';
import type { z } from 'zod/v4';
import { badRequest, unsupportedMediaType } from './errors.ts';
import { formToObject, type FormShape } from './form-fields.ts';
import {
	discard,
	MAX_FIELD_BYTES,
	readMultipart,
	type UploadedFile,
	type UploadOptions,
} from './upload.ts';
import { requireSameWorld } from './same-world.ts';
import { refuseUnknownMembers } from './unknown-members.ts';

/** A request body with its files, the same for either encoding (rule SEND-09). */
export interface ReceivedBody {
	sent: object;
	files: UploadedFile[];
}

export interface BodyShape extends FormShape, Pick<UploadOptions, 'fileField'> {
	/** Names every member, for `--strict`. */
	members: z.ZodType;
	/** Whether there may be no body. */
	optional?: boolean;
}

/** Whether a body comes with the request. */
const hasBody = ({ headers }: Request): boolean =>
	headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const json = express.json({ limit: MAX_FIELD_BYTES });

/** Reads JSON or multipart; anything else is 415, and so is a missing body unless optional. */
export async function readBody(
	world: { uploads: string; strict: boolean; generation: number },
	request: Request,
	response: Response,
	shape: BodyShape,
): Promise<ReceivedBody> {
	const { uploads: folder, strict } = world;
	const received = await receive(request, response, { ...shape, folder });
	try {
		requireSameWorld(world, response);
		if (strict) refuseUnknownMembers(shape.members, received.sent);
		return received;
	} catch (error) {
		await discard(received.files);
		throw error;
	}
}

async function receive(
	request: Request,
	response: Response,
	options: UploadOptions & BodyShape,
): Promise<ReceivedBody> {
	if (options.optional && !hasBody(request)) return { sent: {}, files: [] };
	if (request.is('multipart/form-data')) {
		const { fields, files } = await readMultipart(request, options);
		return { sent: formToObject(fields, options), files };
	}
	if (!request.is('json')) throw unsupportedMediaType();
	await new Promise<void>((resolve, reject) => {
		const next: NextFunction = (error) => (error ? reject(error as Error) : resolve());
		json(request, response, next);
	});
	const sent: unknown = request.body;
	if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
		throw badRequest('The body must be a JSON object');
	return { sent, files: [] };
}
