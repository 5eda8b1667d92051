import { toLatin } from '../../../sandbox/src/messages/latin.ts';

it.each([
	['Zoë Müller, “Straße” – 5 €', 'Zoë Müller, “Straße” – 5 €'],
	['Łukasz Żółć', 'Lukasz Zólc'],
	['Nguyễn Văn Đức', 'Nguyen Van Duc'],
	['Ștefan Ţurcanu, Ağaoğlu', 'Stefan Turcanu, Agaoglu'],
	['Юлия Щукина', 'Iuliia Shchukina'],
	['Ελένη Παπαδοπούλου', 'Eleni Papadopoulou'],
	['ﬀ ½ Ⅳ', 'ff ½ IV'],
	['李 明', '[U+674E] [U+660E]'],
	['💌', '[U+1F48C]'],
	['tab\tline\nend', 'tab line\nend'],
	['e\u0301', 'é'],
	['\u0000', '[U+0000]'],
])('[EVID-04][S] %j is written as %j', (text, latin) => {
	expect(toLatin(text)).toBe(latin);
});
