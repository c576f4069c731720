// Checks on demand: any address or domain, or a host of the account, at all of
// its lists; the results as they arrive.

import { useEffect, useState } from 'preact/hooks';

import { get } from '../api.js';
import { explain, rowsOf, start, stateOf, summary, useRuns }
    from '../check_runs.js';
import { Field } from '../form.js';
import { html } from '../html.js';
import { whyNot } from '../list_state.js';
import { Head, Problem, State } from '../parts.js';
import { t } from '../text.js';

function Says({ row }) {
    const codes = (row.codes || []).join(', ');

    return (row.error || row.reason || row.details || codes) && html`<div>
        ${row.error && html`<p>${whyNot(row.error)}</p>`}
        ${row.reason && html`<p><bdi>${row.reason}</bdi></p>`}
        ${row.details && row.details !== row.reason && html`
            <p><bdi>${row.details}</bdi></p>`}
        ${codes && html`<p class="quiet">${t('codes', { codes })}</p>`}</div>`;
}

function Row({ row }) {
    return html`<tr>
        <th scope="row" data-label=${t('list')}>
            <a href="#/lists/${row.id}">
                <bdi class="zone">${row.host}</bdi></a></th>
        <td data-label=${t('state')}>${row.status === 'skipped'
            ? t('state_skipped') : html`<${State} name=${row.status} />`}</td>
        <td data-label=${t('says')}><${Says} row=${row} /></td>
        <td data-label=${t('took')}>${row.response_ms > 0
            && t('ms', { value: row.response_ms })}</td>
    </tr>`;
}

function Results({ rows }) {
    return html`<table>
        <${Head} names=${['list', 'state', 'says', 'took']} />
        <tbody>${rows.map((row) => html`
            <${Row} key=${row.id} row=${row} />`)}</tbody>
    </table>`;
}

function Run({ run, first }) {
    const rows = rowsOf(run);
    const busy = ['queued', 'running'].includes(run.status) && !run.problem;

    return html`<section class="run">
        <h2><bdi>${run.host}</bdi>
            ${run.status === 'completed' && html`
                <${State} name=${stateOf(run)} />`}</h2>
        <p role="status">${summary(run)}</p>
        ${busy && html`<progress max=${run.total_count || 1}
            value=${run.checked_count} aria-label=${t('progress')} />`}
        <${Problem} text=${run.problem} />
        ${run.details_kept === 0 && html`<p>${t('details_gone')}</p>`}
        ${rows.length > 0 && html`<details open=${first}>
            <summary>${t('results', { n: rows.length })}</summary>
            <${Results} rows=${rows} />
        </details>`}
    </section>`;
}

function Form({ hosts }) {
    const [value, setValue] = useState('');
    const [asHost, setAsHost] = useState(true);
    const [problem, setProblem] = useState('');
    const host = hosts.find((one) => one.host === value.trim());

    async function submit(event) {
        event.preventDefault();

        if (value.includes('/')) {
            setProblem(t('refused_range'));
            return;
        }

        setProblem('');
        await start(host && asHost ? host.id : value.trim())
            .catch((refusal) => setProblem(explain(refusal)));
    }

    return html`<form onSubmit=${submit}>
        <${Field} id="value" list="hosts" label=${t('check_value')} required
            autocapitalize="off" help=${t('check_help')} value=${value}
            onChange=${setValue} />
        <datalist id="hosts">${hosts.map((one) => html`
            <option key=${one.id} value=${one.host} />`)}</datalist>
        ${host && html`<div class="choose"><div>
            <input id="as-host" type="checkbox" checked=${asHost}
                onChange=${(e) => setAsHost(e.target.checked)} />
            <label for="as-host">${t('check_as_host')}</label></div></div>`}
        <button class="main">${t('check_now')}</button>
        <${Problem} text=${problem} />
    </form>`;
}

export function Checks({ me }) {
    const [hosts, setHosts] = useState([]);
    const runs = useRuns(me.user.id);

    useEffect(() => {
        get('hosts.json?page_size=1000').then(({ data }) => setHosts(
            data.filter(({ type }) => type !== 'ip_range')), () => {});
    }, []);

    return html`
        <h1>${t('checks')}</h1>
        ${me.user.role === 'viewer' ? html`<p>${t('viewers_check')}</p>`
            : html`<${Form} hosts=${hosts} />`}
        ${runs.length === 0 ? html`<p>${t('no_checks')}</p>`
            : runs.map((run, i) => html`<${Run} key=${run.id} run=${run}
                first=${i === 0} />`)}`;
}
