// Parts of the screens of webhooks: the state in words, the form, a secret that
// is shown once.

import { useLayoutEffect, useRef } from 'preact/hooks';

import { Copied } from './copied.js';
import { Field } from './form.js';
import { html } from './html.js';
import { State, When } from './parts.js';
import { t } from './text.js';

export const types = ['rbl.host.listed', 'rbl.host.delisted',
    'rbl.host.check.started', 'rbl.host.check.completed',
    'billing.balance.alert', 'billing.recharge.success',
    'billing.recharge.failed', 'billing.renewal.success',
    'billing.renewal.failed', 'expiring.card.alert', 'expiring.plan.alert'];

export function typeName(type) {
    return t(`hook_type_${type.replaceAll('.', '_')}`) || type;
}

const reasons = { 'it is gone (HTTP status 410)': 'hook_why_gone',
    'every attempt has failed for five days': 'hook_why_failed' };

export function stateOfHook(hook) {
    return hook.status !== 'active' ? 'disabled'
        : hook.failing_since ? 'failing' : 'enabled';
}

// The state in words.
export function HookState({ hook }) {
    const name = stateOfHook(hook);

    if (name === 'disabled') {
        return html`<p>${t('hook_disabled')} <${When} text=${hook.disabled} />.
            ${' '}${!hook.reason ? t('hook_why_user')
                : t(reasons[hook.reason] || '') || hook.reason}
            ${' '}${t('hook_disabled_text')}</p>`;
    }

    if (name === 'failing') {
        return html`<p>${t('hook_failing')} <${When}
            text=${hook.failing_since} />.
            ${' '}${t('hook_failed', { n: hook.failed })}
            ${hook.quiet_until && html` ${t('hook_quiet')} <${When}
                text=${hook.quiet_until} />.`}</p>`;
    }

    return html`<p>${t('hook_enabled_text')}</p>`;
}

export function HookMark({ hook }) {
    return html`<${State} name=${stateOfHook(hook)} />`;
}

// Events of billing are only for accounts that have a bill.
function Types({ chosen, bill, onChange }) {
    const all = chosen.length === 0;
    const flip = (type) => onChange(chosen.includes(type)
        ? chosen.filter((other) => other !== type) : [...chosen, type]);

    return html`<fieldset class="events">
        <legend>${t('hook_types')}</legend>
        <p class="quiet">${all ? t('hook_types_all') : t('hook_types_some',
            { n: chosen.length })}</p>
        ${types.filter((type) => bill || type.startsWith('rbl.')
            || chosen.includes(type)).map((type) => html`<label key=${type}>
            <input type="checkbox" checked=${chosen.includes(type)}
                onChange=${() => flip(type)} />
            <span>${typeName(type)} <code>${type}</code></span></label>`)}
    </fieldset>`;
}

// The fields of a webhook.
export function HookFields({ form: { mine, set }, bill }) {
    return html`
        <${Field} id="hook-name" label=${t('name')} required maxlength="255"
            value=${mine.name} onChange=${set('name')} />
        <${Field} id="hook-url" label=${t('hook_url')} type="url" required
            maxlength="2048" help=${t('hook_url_help')} value=${mine.url}
            onChange=${set('url')} />
        <${Types} chosen=${mine.types} bill=${bill}
            onChange=${set('types')} />`;
}

// No template: the bundle has none of its indentation.
const verify = ['import hashlib, hmac', '',
    'def is_genuine(secret, header, body):        # str, str, bytes',
    '    parts = [part.split("=", 1) for part in header.split(",")]',
    '    time = dict(parts)["t"]',
    '    want = hmac.new(secret.encode(), time.encode() + b"." + body,',
    '                    hashlib.sha256).hexdigest()',
    '    return any(hmac.compare_digest(want, value)',
    '               for name, value in parts if name == "v1")'].join('\n');

export function Verify() {
    return html`<details>
        <summary>${t('hook_verify')}</summary>
        <p>${t('hook_verify_text')}</p>
        <pre><code>X-Webhook-Signature: t=1795167000,v1=5f3c…</code></pre>
        <p>${t('hook_verify_how')}</p>
        <pre><code>${verify}</code></pre>
        <p>${t('hook_verify_standard')}</p>
    </details>`;
}

// A secret, which no other answer has.
export function Secret({ secret, children }) {
    const head = useRef();

    useLayoutEffect(() => head.current.focus(), [secret]);

    return html`<section class="once" aria-labelledby="hook-secret">
        <h2 id="hook-secret" tabindex="-1" ref=${head}>${t('hook_secret')}</h2>
        <p>${t('hook_secret_once')}</p>
        <${Copied} label=${t('hook_secret')} text=${secret} main />
        ${children}
    </section>`;
}
