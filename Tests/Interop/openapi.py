"""Checks openapi.json against the web service that serves it: every path exists, and answers as the
document says."""

import json
import urllib.error
import urllib.request

from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate


def fetch(url, data=None, fields=None, verb=None):
    """The status and the body."""
    request = urllib.request.Request(url, data, fields or {}, method=verb)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def run(url, app_key):
    """Returns what is wrong, a line each."""
    document = json.loads(fetch(url + "/openapi.json")[1])
    validate(document)
    wrong = []
    for path, operations in document["paths"].items():
        for verb, operation in operations.items():
            # An empty request: most calls fail, in the form that the document promises.
            body = {"post": b"{}", "put": b""}.get(verb)
            fields = {"content-type": "application/json", "x-postern-app": app_key}
            status, answer = fetch(url + path.replace("{name}", "x"), body, fields, verb.upper())
            # The paths of photos answer errors as calls do.
            if not path.startswith(("/postern.", "/v1/")):
                if status in (404, 405):
                    wrong.append(f"openapi.json: {path}: {status} {answer[:200]}")
                continue
            answer = json.loads(answer)
            if answer.get("code") == "unimplemented":
                wrong.append(f"openapi.json: {path}: {answer['message']}")
            responses = operation["responses"]
            expected = responses.get(str(status), responses["default"])
            schema = expected["content"]["application/json"]["schema"]
            validator = OAS31Validator(schema | {"components": document["components"]})
            wrong += [f"openapi.json: {path}: {error.message}"
                      for error in validator.iter_errors(answer)]
    print(f"  openapi.json: {len(document['paths'])} paths exist")
    return wrong
