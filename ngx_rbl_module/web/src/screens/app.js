// One application: whether it is used, and what of it is refused; then its
// tokens, from where and how often it may be used, and its end.

import { useState } from 'preact/hooks';

import { AppStatus, rangeOf, ranges, Ranges, refusedOf }
    from '../app_parts.js';
import { Access } from './app_access.js';
import { AppErrors } from './app_errors.js';
import { Tokens } from './app_tokens.js';
import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { useLoad } from '../load.js';
import { Answer, Place, When } from '../parts.js';
import { t } from '../text.js';

const Graph = lazy(() => import('../graph.js'), 'Graph');

const every = 60000;            // ms

// stats: the state of its statistics.
function Stats({ id, query, stats }) {
    const range = t(`range_${rangeOf(query)}`);

    return html`<section aria-labelledby="app-stats">
        <h2 id="app-stats">${t('requests')}</h2>
        <${Ranges} screen=${`apps/${id}`} query=${query} />
        <${Answer} state=${stats}>${({ data, unit, requests, errors }) => {
            const title = t('graph_says', { range, requests, errors });

            return html`<p role="status">${requests > 0
                ? `${t('apps_used', { n: requests, range })}, ${refusedOf({
                    requests, errors })}` : t('apps_unused', { range })}</p>
                <${Graph} rows=${data} days=${unit === 'day'}
                    title=${title} />`;
        }}<//>
    </section>`;
}

function Revoke({ app, onDone }) {
    const [name, setName] = useState('');
    const end = useChange(onDone);

    function submit(event) {
        event.preventDefault();

        if (name.trim() !== app.name) {
            end.refuse(t('name_differs'));

        } else {
            end.run('', () => post(`app/revoke/${app.id}.json`));
        }
    }

    return html`<section aria-labelledby="app-revoke">
        <h2 id="app-revoke">${t('app_revoke')}</h2>
        <p>${t('app_revoke_text')}</p>
        <form onSubmit=${submit}>
            <p class="field"><label for="app-typed">${t('app_type_name')}${' '}
                <bdi>${app.name}</bdi></label>
                <input id="app-typed" value=${name} autocomplete="off" required
                    onInput=${(e) => setName(e.target.value)} /></p>
            <p><button class="danger" disabled=${end.busy}>
                ${t('app_revoke')}</button></p>
            <${Said} of=${end} />
        </form>
    </section>`;
}

export function App({ me, id, query }) {
    const state = useLoad(`app/${encodeURIComponent(id)}.json`);
    const stats = useLoad(`app/stats/${encodeURIComponent(id)}.json?${
        ranges[rangeOf(query)]}`, 0, every);
    const { reload } = state;
    const may = me.user.role !== 'viewer';

    return html`
        <${Place} path=${[['apps', t('apps')]]} />
        <${Answer} state=${state}>${({ data: app }) => html`
            <h1><bdi>${app.name}</bdi>
                <${AppStatus} of=${app.status} /></h1>
            <p class="quiet">${t('created')}${' '}
                <${When} text=${app.created} />${may && html`${' · '}
                <a href="#/audit/target/${app.id}">${t('audit_history')}</a>`}
            </p>
            <div class="pair">
                <${Stats} id=${id} query=${query} stats=${stats} />
                <${AppErrors} id=${id} query=${query} />
            </div>
            ${app.status === 'active' && html`<div class="pair">
                <${Tokens} me=${me} app=${app} may=${may} onDone=${reload} />
                <${Access} app=${app} may=${may} onDone=${reload} /></div>
                ${may && html`<${Revoke} app=${app} onDone=${reload} />`}`}`}
        <//>`;
}
