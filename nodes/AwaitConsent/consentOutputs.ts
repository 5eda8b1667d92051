import type { Outputs } from '../shared/waiting/outputs';

const OUTPUT = { accepted: 0, refused: 1, none: 2 };

export const consentOutputs: Outputs = {
	names: ['Accepted', 'Refused', 'No Answer'],
	of: OUTPUT,
	worstFirst: [OUTPUT.none, OUTPUT.refused, OUTPUT.accepted],
	idName: 'consentId',
};
