// Number fields: what the editor lets a user enter, the node takes, and nothing else.
import { readField, type Field } from '../../../../nodes/shared/fields/field.ts';
import { fieldsWithin, nodeDescriptions } from '../../../support/descriptions.ts';

const fields = nodeDescriptions()
	.flatMap(({ displayName, properties }) => fieldsWithin(displayName, properties))
	.filter(({ field }) => field.type === 'number')
	.map(({ place, field }) => [place, field as Field<number>] as const);

/** As the editor's field for numbers does. */
function isAllowed({ typeOptions = {} }: Field<number>, value: number): boolean {
	const { minValue = -Infinity, maxValue = Infinity, numberPrecision } = typeOptions;
	const isRounded =
		numberPrecision !== undefined && Number(value.toFixed(numberPrecision)) !== value;
	return value >= minValue && value <= maxValue && !isRounded;
}

function isTaken(field: Field<number>, value: number): boolean {
	const context = { getNodeParameter: () => value, getTimezone: () => 'Europe/Brussels' };
	try {
		return readField(context as never, 0, field) === value;
	} catch {
		return false;
	}
}

it('there are some', () => expect(fields.length).toBeGreaterThan(8));

it.each(fields)('%s', (_, field) => {
	const { minValue = 0, maxValue = 1_000_000 } = field.typeOptions ?? {};
	const around = [minValue, maxValue].flatMap((edge) => [edge - 1, edge - 0.5, edge, edge + 0.5]);
	const values = [...around, maxValue + 1, -1, 0, 0.5, 1, 1.5, 2, Number(field.default)];
	const taken = values.filter((value) => isTaken(field, value));
	expect(taken).toEqual(values.filter((value) => isAllowed(field, value)));
	expect(taken).toContain(field.default);
});
