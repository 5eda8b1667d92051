/** The page's style sheet: light and dark, from phone width up. */
export const STYLE = `
:root { color-scheme: light dark;
	--ground: light-dark(#f7f7f5, #16181c); --card: light-dark(#fff, #1f2228);
	--text: light-dark(#1c1e21, #e8e8e6); --quiet: light-dark(#5c6068, #a3a8b0);
	--line: light-dark(#dcdcd8, #353a43); --link: light-dark(#1c5bb8, #8ab4f8);
	--good: light-dark(#1e7a44, #5cc489); --bad: light-dark(#b3261e, #f28b82);
	--event: light-dark(#3a6fc4, #8ab4f8); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text);
	font: 15px/1.5 system-ui, sans-serif; }
main, header { max-width: 1060px; margin: 0 auto; padding: 16px; }
header { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
h1 { font-size: 20px; margin: 0; flex: 1 0 100%; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0 0 10px; } h3 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
header nav { flex: 1 1 auto; } nav { line-height: 2; }
form.search { display: flex; gap: 8px; align-items: center; } form.search input { width: 150px; }
section > nav { margin-top: 12px; } section > nav:first-of-type { margin: 0 0 10px; }
.flash { background: var(--card); border: 1px solid var(--good); border-radius: 8px; padding: 10px 16px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(300px, 100%), 1fr)); gap: 12px; }
article { border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow-wrap: anywhere; }
article p { margin: 6px 0; } dl, dd, .troubles { margin: 0; } dd p { margin: 0; }
dl > div { display: grid; grid-template-columns: minmax(90px, 22%) 1fr; gap: 12px; padding: 6px 0;
	border-top: 1px solid var(--line); } dl > div:first-child { border-top: 0; }
dt { color: var(--quiet); font-weight: 600; } dd { overflow-wrap: anywhere; min-width: 0; }
.troubles { padding: 0; list-style: none; } .troubles p { margin: 2px 0; overflow-wrap: anywhere; }
.troubles li { padding: 8px 0; border-top: 1px solid var(--line); }
.troubles li:first-child { border-top: 0; padding-top: 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
	padding: 16px; margin: 0 0 16px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
.figures { margin: 0 0 16px; } .figures b { display: block; font-size: 24px; line-height: 1.3; }
.figures span, .quiet, caption { color: var(--quiet); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 6px 12px 6px 0; border-top: 1px solid var(--line);
	vertical-align: middle; white-space: nowrap; }
th { color: var(--quiet); font-weight: 600; } tr:first-child > * { border-top: 0; }
td.wide { white-space: normal; overflow-wrap: anywhere; min-width: 140px; }
.good { color: var(--good); } .bad { color: var(--bad); }
a { color: var(--link); } nav a { display: inline-block; margin-right: 12px; min-height: 24px; }
nav a[aria-current='page'] { font-weight: 700; color: var(--text); text-decoration: none; }
form { margin: 0; } form.login { display: grid; gap: 12px; max-width: 380px; }
button { font: inherit; color: var(--link); background: var(--card); cursor: pointer;
	border: 1px solid var(--line); border-radius: 6px; padding: 4px 12px; min-height: 34px; }
button:hover { border-color: var(--link); }
input { font: inherit; width: 100%; padding: 8px; border: 1px solid var(--line); border-radius: 6px;
	background: var(--ground); color: var(--text); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
svg { width: 100%; min-width: 620px; height: auto; display: block; } svg text { fill: var(--quiet); font-size: 11px; }
svg line { stroke: var(--line); } rect.events { fill: var(--event); }
rect.done { fill: var(--good); } rect.dead { fill: var(--bad); }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin: 0 4px 0 12px; }
.key.events { background: var(--event); } .key.done { background: var(--good); }
.key.dead { background: var(--bad); }
`;
