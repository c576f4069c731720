// Does the service work?  Asked again and again on every screen; a banner
// appears while it does not.

import { html } from './html.js';
import { lazy } from './lazy.js';
import { useLoad } from './load.js';

const pause = 15000;            // ms
const Banner = lazy(() => import('./service_banner.js'), 'ServiceBanner',
    'service');
const away = { verdict: 'broken', conditions: [{ name: 'store_away',
    state: 'broken', since: '' }] };

// operator: links to the reasons and remedies.
export function Service({ operator }) {
    const { body, refusal } = useLoad('service.json', 0, pause);
    const found = refusal && refusal.status === 503 ? away : body && body.data;

    return found && ['degraded', 'broken'].includes(found.verdict)
        && html`<${Banner} found=${found} operator=${operator} />`;
}
