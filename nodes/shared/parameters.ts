import type { IExecuteFunctions } from 'n8n-workflow';

import { checkFlag } from './flag';
import { parameterError } from './perItem';
import { readText } from './text';
import { readWholeNumber } from './wholeNumber';

/** A parameter by its name, or an entry of a collection by its path (`options.limit`). */
export interface ParameterName {
	name: string;
	/** As the editor shows it. */
	displayName: string;
}

// n8n gives the fallback only for what the user never filled in. An expression that comes out undefined
// stays undefined (run in n8n 2.41), so that it can be told, and refused.

/** @throws NodeOperationError when it is neither true nor false, or an expression came out empty. */
export function flagParameter(
	context: IExecuteFunctions,
	itemIndex: number,
	{ name, displayName }: ParameterName,
	otherwise: boolean,
): boolean {
	const reading = checkFlag(context.getNodeParameter(name, itemIndex, otherwise));
	if ('flag' in reading) return reading.flag;
	throw parameterError(context, itemIndex, displayName, reading.problem);
}

/** @throws NodeOperationError when it is no whole number from `least` on, or an expression came out empty. */
export function wholeNumberParameter(
	context: IExecuteFunctions,
	itemIndex: number,
	{ name, displayName }: ParameterName,
	otherwise: number,
	least = 1,
): number {
	const reading = readWholeNumber(context.getNodeParameter(name, itemIndex, otherwise), least);
	if ('number' in reading) return reading.number;
	throw parameterError(context, itemIndex, displayName, reading.problem);
}

/** Trimmed; empty where nothing was given. @throws NodeOperationError when it is no text. */
export function textParameter(
	context: IExecuteFunctions,
	itemIndex: number,
	{ name, displayName }: ParameterName,
	otherwise = '',
): string {
	const reading = readText(context.getNodeParameter(name, itemIndex, otherwise));
	if ('text' in reading) return reading.text;
	throw parameterError(context, itemIndex, displayName, reading.problem);
}
