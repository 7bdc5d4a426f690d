"""What the bodies of well-known services say."""

import json

import pytest
from hypothesis import given, strategies as st

from errata.http._body_message import read_body_message

# fmt: off
SENTENCES = {
    "GitHub":          ({"message": "Bad credentials", "documentation_url": "https://…", "status": "401"}, "Bad credentials"),
    "Google":          ({"error": {"code": 404, "message": "No project x.", "status": "NOT_FOUND"}}, "No project x."),
    "OpenAI":          ({"error": {"message": "No such model.", "type": "invalid_request_error", "code": None}}, "No such model."),
    "OAuth":           ({"error": "invalid_grant", "error_description": "The code has expired."}, "The code has expired."),
    "Slack":           ({"ok": False, "error": "invalid_auth"}, "invalid_auth"),
    "RFC 9457":        ({"type": "about:blank", "title": "Not enough credit.", "detail": "It costs 50, you have 30."},
                        "Not enough credit: It costs 50, you have 30."),
    "title in detail": ({"title": "Too late", "detail": "Too late for a change."}, "Too late for a change."),
    "JSON:API":        ({"errors": [{"title": "Gone", "detail": "Article 17 was withdrawn."}]}, "Gone: Article 17 was withdrawn."),
    "GraphQL":         ({"errors": [{"message": "No user a.", "path": ["user"], "locations": []}, {"message": "No b."}]},
                        "No user a. (and 1 more)"),
    "FastAPI":         ({"detail": "Not authenticated"}, "Not authenticated"),
    "FastAPI, fields": ({"detail": [{"loc": ["body", "email"], "msg": "Field required", "type": "missing"}]},
                        "`email`: Field required"),
    "AWS, JSON":       ({"__type": "com.amazonaws#ThrottlingException", "message": "Rate exceeded"}, "Rate exceeded"),
    "AWS, older":      ({"__type": "AccessDeniedException", "Message": "No."}, "No."),
    "Apigee":          ({"fault": {"faultstring": "Invalid ApiKey", "detail": {"errorcode": "x"}}}, "Invalid ApiKey"),
    "NestJS":          ({"statusCode": 404, "message": "Cannot GET /x", "error": "Not Found"}, "Cannot GET /x"),
    "NestJS, list":    ({"statusCode": 400, "message": ["a must be b", "c must be d"]}, "a must be b (and 1 more)"),
    "Django":          ({"email": ["Enter a valid address."]}, "`email`: Enter a valid address."),
    "just a text":     ("Please wait.", "Please wait."),
    "blank":           ({"message": " ", "error": "busy"}, "busy"),
    "no words":        ({"ok": False, "code": 17, "error": True}, ""),
    "empty":           ({}, ""),
    "a list":          ([], ""),
    "null":            (None, "null"),
    "bottomless":      ({"error": {"error": {"error": {"error": {"error": {"error": {"error": "deep"}}}}}}}, ""),
}
ISSUES = {
    "FastAPI":        ({"detail": [{"loc": ["body", "items", 0, "sku"], "msg": "Field required", "input": {"pin": 1}}]},
                       [("items.0.sku", "Field required")]),
    "GitHub":         ({"message": "Validation Failed", "errors": [{"resource": "Issue", "field": "title", "code": "missing_field"}]},
                       [("title", "missing_field")]),
    "RFC 9457":       ({"title": "No.", "errors": [{"detail": "must be positive", "pointer": "#/profile/age"}]},
                       [("profile.age", "must be positive")]),
    "RFC 7807":       ({"title": "No.", "invalid-params": [{"name": "age", "reason": "must be positive"}]},
                       [("age", "must be positive")]),
    "JSON:API":       ({"errors": [{"source": {"pointer": "/data/attributes/name"}, "title": "Bad", "detail": "is too short"}]},
                       [("name", "is too short")]),
    "JSON:API, query": ({"errors": [{"source": {"parameter": "include"}, "detail": "no such path"}]}, [("include", "no such path")]),
    "ASP.NET":        ({"title": "One or more.", "errors": {"Name": ["is required", "is short"], "Age": ["is no number"]}},
                       [("Name", "is required"), ("Age", "is no number")]),
    "Django":         ({"email": ["is taken"]}, [("email", "is taken")]),
    "Google":         ({"error": {"message": "Bad.", "details": [{"fieldViolations": [{"field": "zone", "description": "no such"}]}]}},
                       [("zone", "no such")]),
    "Express":        ({"errors": [{"msg": "Invalid value", "param": "email", "value": "secret", "location": "body"}]},
                       [("email", "Invalid value")]),
    "Joi":            ({"message": "No.", "details": [{"message": "is required", "path": ["a", "b"]}]}, [("a.b", "is required")]),
    "GraphQL":        ({"errors": [{"message": "No user.", "path": ["user"], "locations": [{"line": 1}]}]}, []),
    "other lists":    ({"message": "No.", "required_scopes": ["repo"]}, []),
    "just problems":  ({"errors": ["is too short", "is too long"]}, []),
    "no field":       ({"errors": [{"message": "No."}, "No.", 7, None]}, []),
}
TEXTS = {
    "S3":           ('<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code><Message>No key &quot;a&quot;.</Message></Error>', 'No key "a".'),
    "SOAP":         ("<soap:Envelope><soap:Fault><faultstring xml:lang='en'>No.</faultstring></soap:Fault></soap:Envelope>", "No."),
    "CDATA":        ("<error><message><![CDATA[a <b>]]></message></error>", "a"),
    "XML, no words": ("<a><b>c</b></a>", ""),
    "a page":       ("\n<!DOCTYPE html><html lang=en><head><title>Down &amp; out</title></head></html>", "Down & out"),
    "no title":     ("<html><body><message>x</message></body></html>", ""),
    "short":        ("upstream connect error", "upstream connect error"),
    "long":         ("x" * 301, ""),
    "broken JSON":  ('{"message": "x', ""),
    "no JSON":      ("[error] the disk is full", "[error] the disk is full"),
    "deep":         ("[" * 100_000, ""),
    "long number":  ("[" + "9" * 5000 + "]", ""),
    "nothing":      ("", ""),
}
# fmt: on


@pytest.mark.parametrize(("body", "sentence"), SENTENCES.values(), ids=SENTENCES.keys())
def test_a_body_speaks_for_itself(body, sentence):
    assert read_body_message(json.dumps(body)).sentence == sentence


@pytest.mark.parametrize(("body", "issues"), ISSUES.values(), ids=ISSUES.keys())
def test_a_body_names_the_arguments_at_fault_and_not_their_values(body, issues):
    assert [(issue.field, issue.problem) for issue in read_body_message(json.dumps(body)).issues] == issues


@pytest.mark.parametrize(("text", "sentence"), TEXTS.values(), ids=TEXTS.keys())
def test_what_is_no_json_speaks_as_well(text, sentence):
    assert read_body_message(text).sentence == sentence


WORDS = st.sampled_from(["error", "errors", "detail", "message", "title", "loc", "path", "source", "name", "reason"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_any_json_is_read(body):
    assert isinstance(read_body_message(json.dumps(body)).sentence, str)


@given(st.text())
def test_any_text_is_read(text):
    assert isinstance(read_body_message(text).sentence, str)
