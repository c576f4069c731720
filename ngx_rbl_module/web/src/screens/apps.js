// Applications: whether they are used, whether requests are refused, when, and
// of which; one of them and a new one are screens of their own.

import { addressOf, AppStatus, rangeOf, ranges, Ranges, Refusals, refusedOf }
    from '../app_parts.js';
import { App } from './app.js';
import { NewApp } from './app_new.js';
import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { useLoad } from '../load.js';
import { Pager } from '../pager.js';
import { Answer, Head, State, When } from '../parts.js';
import { Spark } from '../spark.js';
import { number, t } from '../text.js';

const Graph = lazy(() => import('../graph.js'), 'Graph');

const shown = ['hours_24', 'days_31'];
const few = 6;                  // refusals, beside the graph
const every = 60000;            // ms
const columns = ['name', 'state', 'requests', 'errors', 'apps_days',
    'apps_last', 'tokens', 'apps_networks', 'limit_hour'];

// Most of its requests are refused.
const fails = ({ requests, errors }) => errors * 2 > requests;

const order = (a, b) => fails(b) - fails(a) || b.errors - a.errors
    || b.requests - a.requests
    || (b.status === 'active') - (a.status === 'active');

function Row({ app, unit, now }) {
    const to = `#/apps/${app.id}${unit === 'day' ? '?range=days_31' : ''}`;
    const { hour } = app.limits;

    return html`<tr>
        <th scope="row" data-label=${t('name')}><a href=${to}>
            <bdi class="name" title=${app.name}>${app.name}</bdi></a></th>
        <td data-label=${t('state')}>${fails(app)
            ? html`<${State} name="failing" text=${t('app_fails')} />`
            : html`<${AppStatus} of=${app.status} />`}</td>
        <td data-label=${t('requests')}><a href=${to}>
            ${number(app.requests)}</a></td>
        <td data-label=${t('errors')}>${app.errors > 0
            ? html`<a href=${to}>${number(app.errors)}</a>` : '0'}</td>
        <td data-label=${t('apps_days')} class="plain">${app.requests > 0
            && html`<${Spark} days=${app.each} kind="uses"
                label=${t('apps_spark', { most: Math.max(...app.each),
                    last: app.each.at(-1) })} />`}</td>
        <td data-label=${t('apps_last')}>${app.last === now
            ? t(`apps_this_${unit}`) : html`<${When} text=${app.last} />`}</td>
        <td data-label=${t('tokens')}><a href=${to}>
            ${number(app.total_tokens)}</a></td>
        <td data-label=${t('apps_networks')}>${app.allow.length > 0
            ? number(app.allow.length) : t('allow_all')}</td>
        <td data-label=${t('limit_hour')}>${hour > 0 ? number(hour)
            : t('no_limit')}</td>
    </tr>`;
}

// What is wrong, or how much the applications are used.
function Verdict({ body, range, may }) {
    const { data, requests, total_applications: total } = body;
    const failing = data.filter(fails).length;
    const text = total === 0 ? t('total_apps', { n: 0 })
        : failing > 0 ? t('apps_fail', { n: failing })
        : requests > 0 ? t('apps_used', { n: requests, range })
        : t('apps_unused', { range });

    return html`<h1 class=${failing > 0 ? 'bad' : ''}>${text}</h1>
        <p class="beside"><span>${total === 0 ? t('no_apps_text') : html`
            ${requests > 0 && `${failing > 0 ? `${t('apps_used',
                { n: requests, range })}, ` : ''}${refusedOf(body)} · `}
            ${data.length < total ? t('apps_page', { n: data.length, total })
                : t('total_apps', { n: total })}`}</span>
            ${may && html`<a class="button" href="#/apps/new">
                ${t('app_new')}</a>`}</p>`;
}

function Lately({ body, range }) {
    const { times, unit, requests, errors, refusals } = body;
    const title = t('graph_says', { range, requests, errors });

    return html`<div class="pair">
        <section aria-labelledby="used">
            <h2 id="used">${t('requests')}</h2>
            <${Graph} rows=${times} days=${unit === 'day'} title=${title} />
        </section>
        <section aria-labelledby="refused">
            <h2 id="refused">${t('apps_refusals')}</h2>
            ${refusals.length > 0 ? html`<${Refusals} named
                errors=${refusals.slice(0, few)} />`
                : html`<p>${t('apps_refusals_none')}</p>`}
        </section></div>`;
}

function AppList({ me, query }) {
    const page = Number(new URLSearchParams(query).get('page')) || 1;
    const name = rangeOf(query, shown);
    const state = useLoad(`apps/usage.json?${ranges[name]}&page=${page}`, 0,
        every);
    const range = t(`range_${name}`);

    return html`<${Answer} state=${state}>${(body) => html`
        <${Verdict} body=${body} range=${range}
            may=${me.user.role !== 'viewer'} />
        ${body.total_applications > 0 && html`
            <${Ranges} screen="apps" query=${query} names=${shown} />
            <${Lately} body=${body} range=${range} />
            <table class="dense brief apps">
                <${Head} names=${columns} />
                <tbody>${[...body.data].sort(order).map((app) => html`
                    <${Row} key=${app.id} app=${app} unit=${body.unit}
                        now=${body.times.at(-1).time} />`)}</tbody>
            </table>`}
        <${Pager} page=${page} pages=${body.total_pages} onPage=${(n) => {
            location.hash = addressOf('apps', query, { page: n });
        }} />`}
    <//>`;
}

// The key: what one of them shows must not stay for the next one.
export function Apps({ me, rest, query }) {
    return rest === 'new' ? html`<${NewApp} key="new" me=${me} />`
        : rest ? html`<${App} key=${rest} me=${me} id=${rest}
            query=${query} />`
            : html`<${AppList} key="all" me=${me} query=${query} />`;
}
