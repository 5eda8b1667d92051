/** The page's style sheet, served as a separate file. */
export const STYLE = `:root {
	--paper: #f5f3ee; --card: #fffdfa; --ink: #22211f; --quiet: #6b675f; --line: #e3dfd6; --edge: #8d877b;
	--accent: #2f4b7c; --accent-ink: #fff; --good: #2c6e49; --good-bg: #e2f0e6;
	--wait: #7a5b12; --wait-bg: #f7ecd0; --bad: #a3341f; --bad-bg: #f9e2dc; --calm: #41506b; --calm-bg: #e6eaf2;
	--shadow: 0 1px 2px rgb(40 35 20 / 6%), 0 8px 24px -12px rgb(40 35 20 / 14%);
}
@media (prefers-color-scheme: dark) {
	:root {
		--paper: #15161a; --card: #1e2026; --ink: #eceae5; --quiet: #a09c93; --line: #32353d; --edge: #757a86;
		--accent: #9db8ec; --accent-ink: #14203a; --good: #8fd3a8; --good-bg: #1d3528;
		--wait: #e7c877; --wait-bg: #39301a; --bad: #f2a08f; --bad-bg: #41231d; --calm: #b9c6e0; --calm-bg: #2a3142;
		--shadow: 0 1px 2px rgb(0 0 0 / 40%);
	}
}
* { box-sizing: border-box; }
body {
	margin: 0; background: var(--paper); color: var(--ink);
	font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', sans-serif;
}
h1, h2, h3, p, ol, ul, dl, dd { margin: 0; padding: 0; }
h1 { font: 600 1.9rem/1.2 ui-serif, Georgia, serif; letter-spacing: -0.01em; }
small { font-size: max(0.85em, 12px); }
h2 { font-size: 1.05rem; font-weight: 600; overflow-wrap: anywhere; }
h2 small { font-weight: 400; color: var(--quiet); }
h3 { font-size: 0.75rem; font-weight: 600; letter-spacing: 0.07em; text-transform: uppercase; color: var(--quiet); }
a { color: var(--accent); overflow-wrap: anywhere; }
code, .id { font: 0.88em ui-monospace, 'SF Mono', Menlo, monospace; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.top {
	position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center;
	gap: 0.4rem 1rem; padding: 0.7rem max(1.25rem, calc((100vw - 64rem) / 2)); background: var(--card);
	border-bottom: 1px solid var(--line);
}
.brand { display: flex; white-space: nowrap; align-items: center; gap: 0.6rem; font-weight: 600; color: inherit; text-decoration: none; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem; }
.top nav a { white-space: nowrap; padding: 0.35rem 0.75rem; border-radius: 999px; color: var(--quiet); text-decoration: none; }
.top nav a:hover { color: var(--ink); }
.top nav a[aria-current] { background: var(--calm-bg); color: var(--calm); font-weight: 600; }
main { max-width: 66.5rem; margin: 0 auto; padding: 2rem 1.25rem 5rem; }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: end; gap: 1rem 2rem; margin-bottom: 1.5rem; }
.clock { text-align: right; font-size: 0.9rem; }
.clock .buttons { justify-content: end; margin-top: 0.4rem; }
time { font-variant-numeric: tabular-nums; }
.search { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-bottom: 1.5rem; }
.search input {
	flex: 1 1 14rem; min-width: 0; min-height: 2.5rem; padding: 0.4rem 0.9rem; font: inherit; border-radius: 9px;
	border: 1px solid var(--edge); background: var(--card); color: var(--ink);
}
.search ::placeholder { color: var(--quiet); opacity: 1; }
#pages { justify-content: center; }
.copyable { display: flex; flex-wrap: wrap; gap: 0.2rem 0.5rem; align-items: center; }
dd .copyable { justify-content: space-between; }
.copyable .value { min-width: 0; }
.card {
	background: var(--card); border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shadow);
	padding: 1.25rem; margin-bottom: 1.1rem;
}
.card > header { display: flex; align-items: center; gap: 0.85rem; }
.avatar {
	flex: none; display: grid; place-items: center; width: 2.5rem; height: 2.5rem; border-radius: 50%;
	background: var(--calm-bg); color: var(--calm); font: 600 1.1rem ui-serif, Georgia, serif; text-transform: uppercase;
}
.who { flex: 1; min-width: 0; }
.who p { color: var(--quiet); font-size: 0.9rem; overflow-wrap: anywhere; line-height: 1.35; }
.status {
	flex: none; padding: 0.2rem 0.7rem; border-radius: 999px; font-size: 0.82rem; font-weight: 600;
	background: var(--calm-bg); color: var(--calm);
}
.status.received, .status.opened, .status.accepted { background: var(--good-bg); color: var(--good); }
.status.scheduled, .status.pending { background: var(--wait-bg); color: var(--wait); }
.status.undelivered, .status.failed, .status.refused, .status.expired, .status.revoked, .status.cancelled { background: var(--bad-bg); color: var(--bad); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 15.5rem; gap: 1.75rem; margin-top: 1.1rem; }
.subject { font: 600 1.2rem/1.35 ui-serif, Georgia, serif; margin-bottom: 0.6rem; overflow-wrap: anywhere; }
iframe { display: block; width: 100%; border: 1px solid var(--line); border-radius: 8px; background: #fff; color-scheme: light; }
iframe.letter { height: 13rem; resize: vertical; }
iframe.notice-mail { height: 9.5rem; resize: vertical; }
.attachments { list-style: none; display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.75rem; }
.attachments a {
	display: inline-flex; gap: 0.5rem; align-items: baseline; padding: 0.4rem 0.8rem; border: 1px solid var(--line);
	border-radius: 8px; text-decoration: none; overflow-wrap: anywhere;
}
.attachments a::before { content: '↓'; }
.attachments a:hover { border-color: var(--accent); }
.attachments small { color: var(--quiet); white-space: nowrap; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
.mail > .buttons { margin-top: 1rem; }
.network { display: inline-flex; flex-wrap: wrap; gap: 0.4rem; }
button + .network { margin-left: auto; }
button, .button {
	font: inherit; font-weight: 600; min-height: 2.5rem; padding: 0.4rem 1.1rem; border-radius: 9px; cursor: pointer;
	border: 1px solid var(--line); background: transparent; color: var(--ink);
}
button:hover, .button:hover { border-color: var(--accent); }
.button { display: inline-flex; align-items: center; text-decoration: none; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
button.primary:hover { filter: brightness(1.1); }
button.small { min-height: 2rem; padding: 0.15rem 0.7rem; font-size: 0.85rem; font-weight: 500; color: var(--quiet); }
button.small:hover { color: var(--ink); }
button:disabled { opacity: 0.5; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.timeline { list-style: none; margin: 0.6rem 0 1.25rem; }
.timeline li { position: relative; padding: 0 0 0.8rem 1.3rem; }
.timeline li:last-child { padding-bottom: 0; }
.timeline li::before {
	content: ''; position: absolute; left: 0.1rem; top: 0.42rem; width: 0.6rem; height: 0.6rem; border-radius: 50%;
	background: var(--calm);
}
.timeline li:not(:last-child)::after {
	content: ''; position: absolute; left: 0.35rem; top: 1.2rem; bottom: -0.3rem; width: 2px; background: var(--line);
}
.timeline .received::before, .timeline .opened::before, .timeline .accepted::before { background: var(--good); }
.timeline .scheduled::before, .timeline .pending::before { background: var(--wait); }
.timeline .undelivered::before, .timeline .failed::before, .timeline .refused::before, .timeline .expired::before, .timeline .revoked::before, .timeline .cancelled::before { background: var(--bad); }
.timeline span { display: block; font-weight: 600; line-height: 1.4; }
.timeline time { font-size: 0.82rem; color: var(--quiet); }
h3 + .attachments { margin: 0.5rem 0 1.25rem; }
.evidences a { padding: 0.25rem 0.65rem; font-size: 0.85rem; }
.logo { display: block; max-width: 9rem; max-height: 3.5rem; margin-bottom: 0.7rem; border-radius: 6px; }
.account .logo { display: inline-block; max-height: 2rem; margin: 0; }
dl { display: grid; align-items: center; grid-template-columns: auto minmax(0, 1fr); gap: 0.2rem 0.9rem; font-size: 0.86rem; padding-top: 0.9rem; border-top: 1px solid var(--line); }
dt { color: var(--quiet); }
dd { overflow-wrap: anywhere; }
.filters { display: flex; flex-wrap: wrap; gap: 0.6rem 0.8rem; align-items: end; margin-bottom: 1.1rem; }
.filters label { flex: 1 1 8rem; min-width: 0; font-size: 0.82rem; color: var(--quiet); }
.filters input, .filters select {
	display: block; width: 100%; min-height: 2.4rem; padding: 0.3rem 0.6rem; border: 1px solid var(--edge); border-radius: 9px;
	background: var(--card); color: var(--ink); font: inherit; font-size: 0.95rem;
}
.filters .buttons { min-height: 2.4rem; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.85rem; padding: 0.7rem 1.1rem; margin-bottom: 0.5rem; }
.row .who { flex-basis: 12rem; }
.half > * + * { margin-top: 0.7rem; }
.half pre { max-height: 36rem; overflow: auto; }
.files { list-style: none; }
.files li { padding: 0.3rem 0; overflow-wrap: anywhere; }
dl.plain { padding-top: 0; border-top: 0; }
.half dl { grid-template-columns: minmax(6rem, 14rem) minmax(0, 1fr); }
.half dt { overflow-wrap: anywhere; }
.more { display: flex; gap: 1rem; margin-top: 0.7rem; font-size: 0.86rem; }
.empty { text-align: center; padding: 4.5rem 1rem; border: 1px dashed var(--line); border-radius: 14px; }
.empty h2 { font: 600 1.3rem ui-serif, Georgia, serif; margin: 0.8rem 0 0.3rem; }
.empty p { max-width: 34rem; margin: 0.4rem auto 0; }
.account > * + * { margin-top: 0.6rem; }
.account ul { list-style: none; }
.account li { display: flex; flex-wrap: wrap; gap: 0.3rem 0.7rem; align-items: center; padding: 0.25rem 0; }
.fields li > :first-child { flex: 1; min-width: 0; }
.fields li { flex-wrap: nowrap; align-items: start; border-top: 1px solid var(--line); padding: 0.45rem 0; }
.fields code { padding: 0.15rem 0.5rem; border-radius: 6px; background: var(--calm-bg); color: var(--calm); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
summary { cursor: pointer; color: var(--accent); }
pre { overflow-x: auto; margin: 0.5rem 0 0; padding: 0.8rem; border-radius: 8px; background: var(--paper); font-size: 0.78rem; }
.notice {
	position: fixed; inset: auto 1rem 1rem; max-width: 34rem; margin: 0 auto; padding: 0.8rem 1.1rem; border-radius: 10px;
	background: var(--bad-bg); color: var(--bad); box-shadow: var(--shadow);
}
[hidden] { display: none; }
@media (prefers-reduced-motion: no-preference) {
	.card.new { animation: arrive 0.35s ease-out; }
	@keyframes arrive { from { opacity: 0; transform: translateY(-0.5rem); } }
}
@media (max-width: 46rem) {
	main { padding-top: 1.25rem; }
	.columns { grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
	.card > header { flex-wrap: wrap; }
	.who { flex-basis: calc(100% - 4rem); }
	.clock { text-align: left; }
	.clock .buttons { justify-content: start; }
	.card { padding: 1rem; }
	/* It may take several lines, and would cover too much of a small or enlarged page. */
	.top { position: static; }
	.top nav { margin: 0 -0.75rem; }
	.half dl { grid-template-columns: minmax(0, 1fr); }
	.half dd { margin-bottom: 0.4rem; }
	iframe.notice-mail { height: 12.5rem; }
	button.small { min-height: 2.4rem; }
}
`;
