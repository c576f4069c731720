/*
 * Judges requests to services by what these publish of their interfaces.  Each
 * line of standard input is {by, service, line, headers, body}, each line of
 * the answer "ok" or what is wrong.  `by` is
 *   document   the service's OpenAPI document, by npm openapi-backend: method,
 *              path, parameters, credentials, body.  Twilio's comes by npm; the
 *              others are read from the directory that RBL_OPENAPI names
 *   generated  what is made of the service's document: for Discord the schemas
 *              of npm discord-api-spec, for Datadog and PagerDuty their own
 *              clients, which have to make the same request of the same event
 * Fields that a document does not name are refused as well.
 */

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';

import { asPagerduty } from './pagerduty.mjs';

// Unlike import, it heeds NODE_PATH.
const require = createRequire(import.meta.url);
const { OpenAPIBackend } = require('openapi-backend');

function definition(service) {
    const file = service === 'sms'
        ? require.resolve('@twilio-alpha/mcp/twilio-oai/spec/json/'
            + 'twilio_api_v2010.json')
        : `${process.env.RBL_OPENAPI}/${service}.json`;

    return JSON.parse(readFileSync(file, 'utf8'));
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

// The operation alone, so that nothing else has to be compiled.
function cut(doc, path) {
    const { parameters = [], post } = doc.paths[path];

    return { ...doc, paths: { [path]: { parameters, post } } };
}

// What a form's fields have to be is judged as that of JSON, which is all that
// the validator looks into; their values are texts.
function isForm(doc, path) {
    const { content } = doc.paths[path].post.requestBody;

    if (content[JSON_TYPE]) {
        return false;
    }

    content[JSON_TYPE] = content[FORM];
    return true;
}

// Objects whose fields are named have no others.
function close(schema) {
    if (schema === null || typeof schema !== 'object') {
        return;
    }

    if (schema.properties && schema.additionalProperties === undefined
        && !schema.allOf)
    {
        schema.additionalProperties = false;
    }

    Object.values(schema).forEach(close);
}

const paths = {
    datadog: '/api/v1/events',
    discord: '/webhooks/{webhook_id}/{webhook_token}',
    pagerduty: '/enqueue',
    sms: '/2010-04-01/Accounts/{AccountSid}/Messages.json',
};
const backends = {};

async function backend(service) {
    if (!backends[service]) {
        const doc = cut(definition(service), paths[service]);
        const form = isForm(doc, paths[service]);
        close(doc.paths);
        close(doc.components.schemas);
        const root = doc.servers[0].url.replace(/^https:\/\/[^/]*/, '');
        const api = new OpenAPIBackend({ definition: doc, apiRoot: root,
            ajvOpts: { strict: false, allErrors: true, coerceTypes: form,
                logger: false } });
        // Faults of the document itself are not ours, and it may be of 3.1.
        api.validateDefinition = () => api.document;
        await api.init();
        backends[service] = { api, doc, form };
    }

    return backends[service];
}

// One of the operation's ways to show who asks
function credentials(doc, operation, headers) {
    const schemes = doc.components.securitySchemes || {};
    const ways = operation.security;
    const shown = (name) => {
        const s = schemes[name];
        return s.type === 'apiKey' ? s.in === 'header'
            && !!headers[s.name.toLowerCase()]
            : s.type === 'http' && (headers.authorization || '').toLowerCase()
                .startsWith(`${s.scheme} `);
    };

    return !ways.length || ways.some((way) => Object.keys(way).every(shown));
}

async function byDocument(r, method, target) {
    const { api, doc, form } = await backend(r.service);
    const request = { method, path: target.pathname, headers: r.headers,
        query: Object.fromEntries(target.searchParams), body: r.body };
    const operation = api.matchOperation(request);

    if (!operation) {
        return 'no such operation';
    }

    const type = (r.headers['content-type'] || '').split(';')[0];
    if (type !== (form ? FORM : JSON_TYPE)) {
        return `no body as ${type}`;
    }

    if (!credentials(doc, operation, r.headers)) {
        return 'no credentials';
    }

    request.body = form ? Object.fromEntries(new URLSearchParams(r.body))
        : JSON.parse(r.body);
    request.headers = { ...r.headers, 'content-type': JSON_TYPE };

    const { valid, errors } = api.validateRequest(request, operation);
    return valid ? 'ok' : errors.map((e) => `${e.instancePath} ${e.message}`)
        .join('; ');
}

async function asDiscord(r, method, target) {
    const { IncomingWebhookRequestPartialSchema: schema }
        = await import(`${process.env.NODE_PATH}/discord-api-spec/build/`
            + 'discord-api-spec.zod.js');

    if (method !== 'post' || !/^\/api\/(v10\/)?webhooks\/\d+\/[\w-]+$/
        .test(target.pathname) || target.search !== '?wait=true')
    {
        return 'no such operation';
    }

    const body = JSON.parse(r.body);
    const read = schema.safeParse(body);
    if (!read.success) {
        return read.error.issues.map((i) => `${i.path.join('/')} ${i.message}`)
            .join('; ');
    }

    return isDeepStrictEqual(read.data, body) ? 'ok' : 'fields that it drops';
}

async function asDatadog(r, method, target) {
    const base = '@datadog/datadog-api-client/dist/packages/'
        + 'datadog-api-client-';
    const client = require(`${base}common`);
    const { EventsApiRequestFactory } = require(`${base}v1/apis/EventsApi`);
    const { ObjectSerializer } = require(`${base}v1/models/ObjectSerializer`);
    const event = ObjectSerializer.deserialize(JSON.parse(r.body),
        'EventCreateRequest', '');

    if (event.additionalProperties || event._unparsed) {
        return `not its fields: ${JSON.stringify(event)}`;
    }

    const made = await new EventsApiRequestFactory(client
        .createConfiguration({ authMethods: {
            apiKeyAuth: r.headers['dd-api-key'] } })).createEvent(event);
    const head = made.getHeaders();

    if (made.getHttpMethod().toLowerCase() !== method
        || new URL(made.getUrl()).pathname !== target.pathname)
    {
        return `${made.getHttpMethod()} ${made.getUrl()}`;
    }

    if (head['Content-Type'] !== r.headers['content-type']
        || !head['DD-API-KEY'])
    {
        return `other headers: ${Object.keys(head)}`;
    }

    return isDeepStrictEqual(JSON.parse(made.getBody()), JSON.parse(r.body))
        ? 'ok' : `it sends ${made.getBody()}`;
}

const generated = { discord: asDiscord, datadog: asDatadog,
    pagerduty: asPagerduty };

for await (const line of createInterface({ input: process.stdin })) {
    const r = JSON.parse(line);
    const [method, url] = r.line.split(' ');
    const judge = r.by === 'document' ? byDocument : generated[r.service];
    let verdict;

    try {
        verdict = await judge(r, method.toLowerCase(),
            new URL(url, 'http://x'));
    } catch (e) {
        verdict = `${e.name}: ${e.message}`;
    }

    console.log(verdict.replace(/\s+/g, ' '));
}
