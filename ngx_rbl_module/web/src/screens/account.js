// The account: its plan, what of it is used, and the settings that its owners
// may change.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { Field, Form, Select } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, When } from '../parts.js';
import { span, t } from '../text.js';

const spans = [900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

// With the current one, which the browser need not know.
function zones(current) {
    return [...new Set([current, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
        .sort().map((id) => ({ id, name: id }));
}

// Those that the plan allows, with the current one.
function intervals({ interval, min_interval: least }) {
    return [...new Set([interval, least, ...spans])]
        .filter((n) => n > 0 && (n >= least || n === interval))
        .sort((a, b) => a - b)
        .map((n) => ({ id: String(n), name: span(n) }));
}

const nearly = 0.9;

// How much of a limit is used, as a bar and in words.
function Used({ name, to, of: { used, max } }) {
    const share = max > 0 ? Math.min(used / max, 1) : 0;
    const full = share >= 1 ? 'used_up' : share >= nearly ? 'nearly_used'
        : '';

    return html`<div class=${full ? 'full' : ''}><dt>${t(name)}</dt>
        <dd><a href="#/${to}">${max > 0 ? t('used_of', { used, max })
            : t('used_no_limit', { used })}</a>${full && `, ${t(full)}`}
            ${max > 0 && html`<svg class="gauge" viewBox="0 0 100 4"
                preserveAspectRatio="none" aria-hidden="true">
                <rect class="ground" width="100" height="4" />
                <rect class="used" width=${100 * share} height="4" />
            </svg>`}</dd></div>`;
}

function Named({ path, screen, id }) {
    const { body } = useLoad(`${path}/${id}.json`);

    return body ? html`<a href="#/${screen}/${id}"><bdi>
        ${body.data[0].name}</bdi></a>` : '';
}

function Facts({ account }) {
    return html`<dl class="facts gauges">
        <${Used} name="hosts" to="hosts" of=${account.hosts} />
        <${Used} name="contacts" to="contacts" of=${account.contacts} />
        <${Used} name="checks_today" to="checks" of=${account.checks} />
    </dl>
    <dl class="facts">
        <div><dt>${t('account_plan')}</dt>
            <dd><bdi>${account.plan}</bdi></dd></div>
        <div><dt>${t('account_interval')}</dt>
            <dd>${span(account.interval)}</dd></div>
        <div><dt>${t('account_zone')}</dt><dd>${account.timezone}</dd></div>
        <div><dt>${t('default_profile')}</dt><dd><${Named} path="rblprofile"
            screen="profiles" id=${account.profile} /></dd></div>
        <div><dt>${t('default_group')}</dt><dd><${Named} path="contactgroup"
            screen="groups" id=${account.contact_group} /></dd></div>
        <div><dt>${t('account_since')}</dt>
            <dd><${When} text=${account.created} /></dd></div>
        <div><dt>${t('account_id')}</dt><dd><code>${account.id}</code></dd>
        </div>
    </dl>`;
}

function Change({ account, onDone }) {
    const [name, setName] = useState(account.name);
    const [zone, setZone] = useState(account.timezone);
    const [interval, setInterval] = useState(String(account.interval));

    return html`<section aria-labelledby="settings">
        <h2 id="settings">${t('settings')}</h2>
        <${Form} button=${t('save')} onDone=${onDone} call=${() =>
            post('account/update.json', { name: name.trim(), timezone: zone,
                ...(Number(interval) !== account.interval && { interval }) })}>
            <${Field} id="name" label=${t('name')} required maxlength="255"
                value=${name} onChange=${setName} />
            <${Select} id="timezone" label=${t('account_zone')}
                help=${t('help_zone')} value=${zone} onChange=${setZone}
                from=${zones(account.timezone)} />
            <${Select} id="interval" label=${t('account_interval')}
                help=${t('help_interval')} value=${interval}
                onChange=${setInterval} from=${intervals(account)} />
        <//>
    </section>`;
}

export function Account({ me, reload }) {
    const [round, setRound] = useState(0);
    const state = useLoad('account.json', round);
    const { say, ...said } = useChange();

    function saved() {
        say(t('saved'));
        setRound((n) => n + 1);
        reload();
    }

    return html`<h1>${t('account')}</h1>
        <${Said} of=${said} />
        <${Answer} state=${state}>${({ data }) => html`
            <${Facts} account=${data} />
            ${me.user.role === 'owner' ? html`<${Change} account=${data}
                onDone=${saved} />` : html`<p>${t('owners_settings')}</p>`}`}
        <//>`;
}
