"""Requests to AWS as its own library sees them (python3-botocore).

Reads {service, region, id, secret, request: {line, headers, body}} as JSON, one
a line, and writes for each "ok", or what is wrong: the signature is computed
anew from what arrived, what is signed has to be enough, and the parameters have
to be those of the service's model, form for form as the library writes them.
"""

import json
import re
import sys
from urllib.parse import parse_qsl

import botocore.session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.serialize import create_serializer
from botocore.validate import validate_parameters

session = botocore.session.get_session()
loader = session.get_component('data_loader')


def signature(job, body):
    """The signature that belongs to what arrived, and the one that came."""
    head = job['request']['headers']
    match = re.fullmatch(
        r'AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/'
        r'aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})',
        head['authorization'])
    if not match:
        return 'no such Authorization: ' + head['authorization']
    key, day, region, service, signed, got = match.groups()
    if (key, region, service) != (job['id'], job['region'], job['service']):
        return 'signed for ' + '/'.join((key, region, service))
    names = signed.split(';')
    for name in ('host', 'x-amz-date'):
        if name not in names:
            return name + ' is not signed'
    for name in head:
        if name.startswith('x-amz-') and name not in names:
            return name + ' is not signed'
    if not head['x-amz-date'].startswith(day):
        return 'another day'
    method, path, _ = job['request']['line'].split(' ')
    request = AWSRequest(method=method, url='http://' + head['host'] + path,
                         data=body, headers={n: head[n] for n in names})
    request.context['timestamp'] = head['x-amz-date']
    auth = SigV4Auth(Credentials(job['id'], job['secret']), service, region)
    canonical = auth.canonical_request(request)
    want = auth.signature(auth.string_to_sign(request, canonical), request)
    return None if want == got else 'signature of\n' + canonical


def operation(service, name):
    model = session.get_service_model(service)
    return model, model.operation_model(name)


def of_logs(job, body):
    head = job['request']['headers']
    if head['content-type'] != 'application/x-amz-json-1.1':
        return 'content type'
    target, name = head['x-amz-target'].split('.')
    model, op = operation('logs', name)
    if target != model.metadata['targetPrefix']:
        return 'target ' + target
    report = json.loads(body)
    validate_parameters(report, op.input_shape)
    return None


def of_sns(job, body):
    pairs = parse_qsl(body.decode('ascii'), keep_blank_values=True,
                      strict_parsing=True)
    form = dict(pairs)
    if len(form) != len(pairs):
        return 'a field comes twice'
    model, op = operation('sns', form['Action'])
    params = {n: v for n, v in form.items()
              if n in op.input_shape.members and '.' not in n}
    attributes = {}
    for n in range(1, 20):
        key = 'MessageAttributes.entry.%d.' % n
        if key + 'Name' in form:
            attributes[form[key + 'Name']] = {
                'DataType': form[key + 'Value.DataType'],
                'StringValue': form[key + 'Value.StringValue']}
    if attributes:
        params['MessageAttributes'] = attributes
    validate_parameters(params, op.input_shape)
    made = create_serializer(model.metadata['protocol']).serialize_to_request(
        params, op)
    if made['body'] != form:
        return 'the library sends %r' % made['body']
    if form.get('MessageStructure') == 'json':
        if 'default' not in json.loads(form['Message']):
            return 'no default'
    return None


for line in sys.stdin:
    work = json.loads(line)
    octets = work['request']['body'].encode('latin-1')
    try:
        wrong = signature(work, octets)
        wrong = wrong or {'sns': of_sns, 'logs': of_logs}[work['service']](
            work, octets)
    except Exception as error:
        wrong = '%s: %s' % (type(error).__name__, error)
    print(wrong.replace('\n', ' | ') if wrong else 'ok', flush=True)
