// Overview: how many hosts are listed, and how many lists answered; what is not
// right; is it worse than before; what is to be done; hosts by list and by
// group; what changed lately.

import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { useLoad } from '../load.js';
import { Answer, State } from '../parts.js';
import { number, t } from '../text.js';

const Trend = lazy(() => import('../trend.js'), 'Trend', 'trend');
const Weights = lazy(() => import('../trend.js'), 'Weights', 'trend');
const Care = lazy(() => import('../care.js'), 'Care', 'trend');
const Todo = lazy(() => import('../todo.js'), 'Todo', 'trend');
const ByList = lazy(() => import('../by_list.js'), 'ByList', 'trend');
const ByGroup = lazy(() => import('../by_group.js'), 'ByGroup', 'trend');
const Lately = lazy(() => import('../lately.js'), 'Lately', 'trend');
const slow = 60000;             // ms between loads of what changes rarely
const many = 200;               // groups, contacts and listed hosts of a page
const states = ['listed', 'unknown', 'uncovered', 'clear', 'paused'];

// The screen is good only if each host is known to be clear, or paused.
function Summary({ counts, coverage }) {
    const { hosts, listed, unknown, uncovered } = counts;
    const { lists_asked: asked, lists_answered: answered } = coverage || {};
    const good = hosts > 0 && unknown + uncovered === 0;

    return html`
        <h1 class=${listed > 0 ? 'bad' : good ? 'good' : ''}>
            ${listed > 0 ? t('total_listed', { n: listed })
                : t(unknown > 0 ? 'none_known' : hosts > 0 ? 'none_listed'
                    : 'no_hosts')}</h1>
        <p>${hosts > 0 ? t('total_hosts', { n: hosts })
            : html`<a href="#/add">${t('no_hosts_text')}</a>`}${asked > 0
            && html` · <a href="#/lists">${t('lists_answered',
                { n: answered, total: asked })}</a>`}</p>
        <ul class="counts">${states.map((name) => counts[name] > 0 && html`
            <li key=${name}><a href="#/hosts?state=${name}">
                <${State} name=${name} /> ${number(counts[name])}</a></li>`)}
        </ul>`;
}

// Hosts whose plan has expired are unknown; their last listings are shown.
function Hosts({ counts, coverage, query }) {
    const trend = useLoad('trend.json?days=90', 0, slow);
    const listed = useLoad(counts.listed > 0
        ? `hosts/find.json?state=listed&sort=since&limit=${many}`
        : `listings.json?page_size=${many}`);
    const groups = useLoad(`contactgroups.json?page_size=${many}`, 0, slow);
    const contacts = useLoad(`contacts.json?page_size=${many}`, 0, slow);

    return html`
        <${Care} groups=${groups.body} contacts=${contacts.body}
            coverage=${coverage} />
        <${Weights} state=${trend} />
        <div class="pair">
            <${Trend} state=${trend} query=${query} />
            <${Todo} state=${listed} lists=${trend.body
                ? trend.body.data.lists : []} />
            <${ByList} state=${trend} />
            ${trend.body && html`<${ByGroup} state=${groups}
                contacts=${contacts.body} listed=${listed.body}
                trend=${trend.body.data} />`}
        </div>
        <${Lately} />`;
}

export function Overview({ query }) {
    const counts = useLoad('counts.json');
    const coverage = useLoad('listings.json?page_size=1');

    return html`<${Answer} state=${counts}>${({ data }) => html`
        <${Summary} counts=${data} coverage=${coverage.body} />
        ${data.hosts > 0 && html`<${Hosts} counts=${data}
            coverage=${coverage.body} query=${query} />`}`}<//>`;
}
