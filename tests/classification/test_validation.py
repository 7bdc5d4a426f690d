"""Validation: the field and the rule are told, the value is not."""

import argparse
import datetime as dt
import ipaddress
import typing
import uuid

import pytest
from support.library_tables import Library, check_decided, check_names, module, raised

from errata import Code, classify
from errata.classification import FAMILIES
from errata.classification._families._refusals import flatten_problems, issue_of, path_of, predicate
from errata.classification._refused_arguments import classify_refused_arguments

VALUE = "hunter2-the-rejected-value"
WARNINGS = frozenset({"builtins.Warning"})
LIBRARIES = [
    Library("pydantic_core", ("pydantic_core",)),
    Library(
        "pydantic",
        ("pydantic", "pydantic.errors", "pydantic.v1", "pydantic.v1.errors"),
        telling=WARNINGS | {"pydantic.v1.errors.PydanticValueError", "pydantic.v1.errors.PydanticTypeError"},
    ),
    Library(
        "pydantic_settings",
        ("pydantic_settings", "pydantic_settings.exceptions"),
        telling=WARNINGS,
        former=frozenset({"pydantic_settings.sources.SettingsError"}),
    ),
    Library(
        "jsonschema",
        ("jsonschema", "jsonschema.exceptions"),
        inherited=frozenset({"jsonschema.exceptions._Error"}),
        former=frozenset({"jsonschema.exceptions.RefResolutionError"}),
    ),
    Library(
        "referencing",
        ("referencing.exceptions", "referencing.jsonschema"),
        telling=frozenset({"referencing.exceptions.Unresolvable"}),
    ),
    Library("msgspec", ("msgspec",)),
    Library(
        "marshmallow",
        ("marshmallow", "marshmallow.exceptions"),
        telling=WARNINGS | {"marshmallow.exceptions.MarshmallowError"},
    ),
    Library("attr", ("attr.exceptions",), telling=frozenset({"attr.exceptions.FrozenError"})),
    Library("email_validator", ("email_validator", "email_validator.exceptions")),
    Library(
        "beartype",
        ("beartype.roar",),
        telling=WARNINGS | {"beartype.roar._roarexc.BeartypeException"},
    ),
    Library("click", ("click.exceptions",), telling=frozenset({"click.exceptions.UsageError"})),
    Library("argparse", ("argparse",)),
    Library("getopt", ("getopt",)),
    Library("optparse", ("optparse",), telling=frozenset({"optparse.OptParseError"})),
    Library("jsonref", ("jsonref",)),
]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.package)
def test_every_exception_of_the_library_was_decided_about(library):
    check_decided(library)


def issues(fault):
    return [(issue.field, issue.problem) for issue in fault.issues]


def look_alike(name, *bases, **attributes):
    """Make an exception of a class that has the name of a library's class, and its attributes."""
    where, _, called = name.rpartition(".")
    error = type(called, bases or (Exception,), {"__module__": where, "__qualname__": called})("…")
    for attribute, value in attributes.items():
        setattr(error, attribute, value)
    return error


def form(**fields):
    """Make a model of fields; a text names a type of Pydantic's own, or is a pattern."""
    pydantic = module("pydantic")
    if "EmailStr" in fields.values():
        module("email_validator")
    own = {"pattern": typing.Annotated[str, pydantic.Field(pattern="^x$")]}
    kinds = {
        name: (own.get(kind) or getattr(pydantic, kind) if isinstance(kind, str) else kind)
        for name, kind in fields.items()
    }
    return pydantic.create_model("Form", **{name: (kind, ...) for name, kind in kinds.items()})


class TestPydantic:
    @pytest.fixture
    def model(self):
        pydantic = module("pydantic")
        return pydantic.create_model(
            "User",
            id=(int, ...),
            email=(str, pydantic.Field(max_length=5)),
            kind=(typing.Literal["a", "b"], "a"),
            __config__={"extra": "forbid"},
        )

    def test_each_field_is_named_with_its_rule_and_no_value(self, model):
        fault = classify(raised(model.model_validate, {"id": VALUE, "email": VALUE, "kind": VALUE, "more": VALUE}))
        assert fault.code is Code.VALIDATION_FAILED
        assert issues(fault) == [
            ("id", "must be a whole number"),
            ("email", "must have at most 5 characters"),
            ("kind", "must be 'a' or 'b'"),
            ("more", "is not a known field"),
        ]
        assert fault.issues[2].expected == "'a' or 'b'"
        assert fault.message.startswith("Four values do not fit `User`: `id` must be a whole number")
        assert fault.message.endswith("; and 1 more.")
        assert VALUE not in repr(fault)

    def test_nothing_but_absent_fields_is_a_code_of_its_own(self, model):
        fault = classify(raised(model.model_validate, {}))
        assert fault.code is Code.MISSING_REQUIRED_FIELD
        assert fault.message == "Two values do not fit `User`: `id` is required; `email` is required."

    @pytest.mark.parametrize(
        "kind",
        [
            dt.date,
            dt.time,
            dt.datetime,
            dt.timedelta,
            uuid.UUID,
            ipaddress.IPv4Address,
            ipaddress.IPv6Network,
            "AnyUrl",
            "EmailStr",
            "IPvAnyAddress",
            "Base64Str",
            "Json",
            "pattern",
        ],
        ids=str,
    )
    def test_a_value_that_is_written_in_the_wrong_way_is_a_code_of_its_own(self, kind):
        error = raised(form(a=kind).model_validate, {"a": "w"})
        fault = classify_refused_arguments(error, "f", {"a": "w"})
        assert (fault.code, fault.field, classify(error).code) == (Code.INVALID_FORMAT, "a", Code.INVALID_FORMAT)

    @pytest.mark.parametrize(
        ("given", "code"),
        [
            ({"day": "?", "id": "?"}, Code.INVALID_FORMAT),
            ({}, Code.MISSING_REQUIRED_FIELD),
            ({"day": "?"}, Code.INVALID_PARAMS),
            ({"day": {}, "id": "?"}, Code.INVALID_PARAMS),
            ({"day": [], "id": []}, Code.INVALID_PARAMS),
        ],
    )
    def test_the_code_of_several_problems_holds_for_all_of_them(self, given, code):
        error = raised(form(day=dt.date, id=uuid.UUID).model_validate, given)
        assert classify_refused_arguments(error, "f", given).code is code

    @pytest.mark.parametrize("kind", [int, float, bool])
    def test_a_number_that_cannot_be_read_is_of_the_wrong_type(self, kind):
        error = raised(form(a=kind).model_validate, {"a": "?"})
        assert classify_refused_arguments(error, "f", {"a": "?"}).code is Code.INVALID_PARAMS

    def test_what_the_first_version_calls_a_format_is_one_as_well(self):
        pydantic = module("pydantic.v1")
        model = pydantic.create_model(
            "F",
            day=(dt.date, ...),
            id=(uuid.UUID, ...),
            a=(pydantic.AnyUrl, ...),
            b=(pydantic.constr(regex="^x"), ...),
        )
        fault = classify(raised(model, day="?", id="?", a="?", b="?"))
        assert (fault.code, len(fault.issues)) == (Code.INVALID_FORMAT, 4)

    def test_json_that_is_none_has_no_field(self, model):
        fault = classify(raised(model.model_validate_json, f"{{{VALUE}"))
        assert fault.code is Code.VALIDATION_FAILED
        assert fault.issues == ()
        assert "the input is not valid JSON" in fault.message

    def test_a_tag_that_is_unknown_is_not_repeated(self):
        pydantic = module("pydantic")
        cat = pydantic.create_model("Cat", kind=(typing.Literal["cat"], ...))
        dog = pydantic.create_model("Dog", kind=(typing.Literal["dog"], ...))
        pet = typing.Annotated[cat | dog, pydantic.Field(discriminator="kind")]
        fault = classify(raised(pydantic.TypeAdapter(pet).validate_python, {"kind": VALUE}))
        assert "must have one of the tags 'cat', 'dog'" in fault.message
        assert VALUE not in repr(fault)

    def test_a_validators_own_words_are_passed_on(self):
        pydantic = module("pydantic")

        def even(number: int) -> int:
            if number % 2:
                raise ValueError("must be even")
            return number

        checked = typing.Annotated[int, pydantic.AfterValidator(even)]
        fault = classify(raised(pydantic.create_model("Q", n=(checked, ...)), n=3))
        assert issues(fault) == [("n", "must be even")]

    def test_the_first_version_reads_the_same(self):
        pydantic = module("pydantic.v1")
        model = pydantic.create_model("User", id=(int, ...), age=(pydantic.conint(ge=3), ...), email=(str, ...))
        fault = classify(raised(model, id=VALUE, age=1))
        assert issues(fault) == [
            ("id", "is not a valid integer"),
            ("age", "must be greater than or equal to 3"),
            ("email", "is required"),
        ]
        assert fault.message.startswith("Three values do not fit `User`: ")

    def test_a_setting_that_is_missing_is_no_argument_of_the_caller(self):
        settings = module("pydantic_settings")
        pydantic = module("pydantic")
        wanted = pydantic.create_model("Settings", __base__=settings.BaseSettings, errata_no_such_setting=(str, ...))
        fault = classify(raised(wanted))
        assert fault.code is Code.CONFIGURATION_ERROR
        assert fault.issues == ()
        assert "`errata_no_such_setting` is required" in fault.message

    def test_a_model_that_cannot_be_built_is_a_bug(self):
        pydantic = module("pydantic")
        fault = classify(raised(pydantic.create_model, "Q", a=(type("Strange", (), {}), ...)))
        assert fault.code is Code.INTERNAL_ERROR
        assert fault.message == Code.INTERNAL_ERROR.sentence


class TestJsonSchema:
    @pytest.mark.parametrize(
        ("instance", "schema", "expected"),
        [
            ({"a": [{"b": VALUE}]}, {"properties": {"a": {"items": {"properties": {"b": {"type": "integer"}}}}}}, [("a.0.b", "must be of type integer")]),
            ({"a": VALUE}, {"properties": {"a": {"enum": ["x", 3, None]}}}, [("a", "must be one of 'x', 3, None")]),
            ({"a": VALUE}, {"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}, [("a", "must be of type integer or null")]),
            ({"a": VALUE}, {"properties": {"a": {"anyOf": [{"maxLength": 1}, {"type": "null"}]}}}, [("a", "fits none of the allowed forms")]),
            ({"a": {VALUE: 1}}, {"properties": {"a": {"propertyNames": {"maxLength": 1}}}}, [("a", "has a property whose name is not allowed")]),
            ({"a": {"x": VALUE}}, {"properties": {"a": {"additionalProperties": False}}}, [("a", "may not have 'x'")]),
        ],
    )  # fmt: skip
    def test_the_broken_rule_is_told_and_not_the_value(self, instance, schema, expected):
        fault = classify(raised(module("jsonschema").validate, instance, schema))
        assert fault.code is Code.VALIDATION_FAILED
        assert issues(fault) == expected
        assert fault.message.startswith("One value does not fit: ")
        if not any(VALUE in field for field, _ in expected):
            assert VALUE not in repr(fault)

    @pytest.mark.parametrize(
        ("rule", "problem"),
        [
            ({"pattern": "^x"}, "must match the pattern ^x"),
            ({"format": "date"}, "must be a valid date"),
            ({"format": "ipv4"}, "must be a valid ipv4"),
        ],
    )
    def test_a_value_that_is_written_in_the_wrong_way_is_a_code_of_its_own(self, rule, problem):
        jsonschema = module("jsonschema")
        checks = {"format_checker": jsonschema.FormatChecker()}
        fault = classify(raised(jsonschema.validate, {"a": VALUE}, {"properties": {"a": rule}}, **checks))
        assert (fault.code, issues(fault)) == (Code.INVALID_FORMAT, [("a", problem)])
        assert VALUE not in repr(fault)

    def test_a_name_of_a_property_that_fits_no_pattern_is_no_value(self):
        schema = {"propertyNames": {"pattern": "^x"}}
        fault = classify(raised(module("jsonschema").validate, {"a": 1}, schema))
        assert fault.code is Code.VALIDATION_FAILED

    def test_an_absent_property_is_named_where_it_should_be(self):
        schema = {"properties": {"a": {"required": ["x", "y"]}}}
        fault = classify(raised(module("jsonschema").validate, {"a": {"x": 1}}, schema))
        assert (fault.code, issues(fault)) == (Code.MISSING_REQUIRED_FIELD, [("a.y", "is required")])

    def test_a_wrong_schema_is_this_servers(self):
        fault = classify(raised(module("jsonschema").validate, 1, {"properties": {"a": {"type": "nonsense"}}}))
        assert fault.code is Code.CONFIGURATION_ERROR
        assert fault.message == "The schema is not valid at `properties.a.type`."

    @pytest.mark.parametrize("keyword", [None, "minimum", "enum", "type", "{}", "$ref"])
    def test_any_rule_and_any_value_make_a_problem(self, keyword):
        for asked in (None, 1, "{0}", [], {}, object(), ["a"] * 50):
            assert issue_of(["a"], keyword, asked).problem


class TestMsgspec:
    @pytest.mark.parametrize(
        ("text", "code", "expected"),
        [
            ('{"n": "hunter2-the-rejected-value"}', Code.VALIDATION_FAILED, [("n", "must be `int`, not `str`")]),
            ('{"n": 1, "many": [1, "x"]}', Code.VALIDATION_FAILED, [("many.1", "must be `int`, not `str`")]),
            ('{"n": 1, "named": {"k": "x"}}', Code.VALIDATION_FAILED, [("named.*", "must be `int`, not `str`")]),
            ('{"n": 1, "kind": "hunter2-the-rejected-value"}', Code.VALIDATION_FAILED, [("kind", "is not one of the allowed values")]),
            ('{"n": 1, "other": 1}', Code.VALIDATION_FAILED, [("other", "is not a known field")]),
            ("{}", Code.MISSING_REQUIRED_FIELD, [("n", "is required")]),
            ("{", Code.SERIALIZATION_ERROR, []),
        ],
    )  # fmt: skip
    def test_the_path_and_the_rule_come_out_of_its_text(self, text, code, expected):
        msgspec = module("msgspec")
        fields = [
            ("n", int),
            ("many", list[int], ()),
            ("named", dict[str, int], ()),
            ("kind", typing.Literal["a", "b"], "a"),
        ]
        fields = [(name, kind, *(msgspec.field(default=default) for default in rest)) for name, kind, *rest in fields]
        struct = msgspec.defstruct("Thing", fields, forbid_unknown_fields=True)
        fault = classify(raised(msgspec.json.decode, text, type=struct))
        assert (fault.code, issues(fault)) == (code, expected)
        assert VALUE not in repr(fault)


class TestArguments:
    @pytest.fixture
    def book(self):
        pydantic = module("pydantic")
        rider = pydantic.create_model("Rider", name=(str, ...))
        ticket = pydantic.create_model("Ticket", seats=(int, ...), train=(str, ...), riders=(list[rider], ...))

        @pydantic.validate_call
        def book(ticket: ticket, seats: int = 1) -> None: ...

        return book

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"seats": 2}, "One argument does not fit `book`: `ticket` is required."),
            (
                {"seats": "many"},
                "Two arguments do not fit `book`: `ticket` is required; `seats` must be a whole number.",
            ),
            (
                {"ticket": {"seats": 1, "train": "ICE", "riders": [{}]}},
                "One argument does not fit `book`: `ticket.riders.0.name` is required.",
            ),
            (
                {"ticket": {"seats": "many", "riders": {}}},
                (
                    "Three problems in `ticket` of `book`: `ticket.seats` must be a whole number; `ticket.train` is required; "
                    "`ticket.riders` must be a list."
                ),
            ),
            (
                {"ticket": {"seats": "many", "riders": [{}, {"name": 7}]}},
                (
                    "Four problems in `ticket` of `book`: `ticket.seats` must be a whole number; `ticket.train` is required; "
                    "`ticket.riders.0.name` is required; and 1 more."
                ),
            ),
            (
                {"ticket": {"seats": "many", "riders": []}, "seats": "many"},
                (
                    "Two arguments do not fit `book`: `ticket.seats` must be a whole number; `ticket.train` is required; "
                    "`seats` must be a whole number."
                ),
            ),
        ],
    )
    def test_arguments_are_counted_or_the_problems_of_the_only_one(self, book, given, message):
        assert classify_refused_arguments(raised(book, **given), "book", given).message == message


class TestMarshmallow:
    def test_two_problems_of_one_value_are_no_two_values(self):
        marshmallow = module("marshmallow")
        rules = [marshmallow.validate.Length(min=3), marshmallow.validate.Regexp("[a-z]+$")]
        schema = marshmallow.Schema.from_dict({"name": marshmallow.fields.Str(validate=rules)})
        fault = classify(raised(schema().load, {"name": "7"}))
        assert fault.message.startswith("Two problems in `name`: `name`")

    def test_nested_messages_become_issues(self):
        marshmallow = module("marshmallow")
        fields = marshmallow.fields
        inner = marshmallow.Schema.from_dict({"id": fields.Int(required=True)})
        schema = marshmallow.Schema.from_dict({"n": fields.Int(), "many": fields.List(fields.Nested(inner))})
        fault = classify(raised(schema().load, {"n": VALUE, "many": [{"id": 1}, {}], "more": 1}))
        assert fault.code is Code.VALIDATION_FAILED
        assert sorted(issues(fault)) == [
            ("many.1.id", "is required"),
            ("more", "is not a known field"),
            ("n", "is not a valid integer"),
        ]
        assert VALUE not in repr(fault)

    def test_a_message_for_the_whole_has_no_field(self):
        fault = classify(module("marshmallow").ValidationError("begin comes after end"))
        assert fault.issues == ()
        assert fault.message == "One value does not fit: the input: begin comes after end."


@pytest.mark.parametrize(
    ("error", "code", "expected"),
    [
        (look_alike("dacite.exceptions.WrongTypeError", field_path="a.b", field_type=int), Code.VALIDATION_FAILED, [("a.b", "must be of type int")]),
        (look_alike("dacite.exceptions.MissingValueError", field_path="a"), Code.MISSING_REQUIRED_FIELD, [("a", "is required")]),
        (look_alike("mashumaro.exceptions.InvalidFieldValue", field_name="a", field_type_name="int"), Code.VALIDATION_FAILED, [("a", "must be of type int")]),
        (look_alike("cattrs.errors.ForbiddenExtraKeysError", extra_fields={"a"}), Code.VALIDATION_FAILED, [("a", "is not a known field")]),
        (look_alike("schema.SchemaError", autos=["Key 'a' error:", f"'{VALUE}' should be instance of 'int'"], errors=[None, None]), Code.VALIDATION_FAILED, [("a", "must be an instance of 'int'")]),
        (look_alike("schema.SchemaError", autos=[f"Wrong key 'a' in {{'a': '{VALUE}'}}"], errors=[None]), Code.VALIDATION_FAILED, [("a", "is not a known field")]),
        (look_alike("schema.SchemaError", autos=["Missing key: 'a'"], errors=[None]), Code.MISSING_REQUIRED_FIELD, [("a", "is required")]),
        (look_alike("voluptuous.error.MultipleInvalid", errors=[look_alike("voluptuous.error.Invalid", path=["a", 0], msg="expected int")]), Code.VALIDATION_FAILED, []),
        (look_alike("colander.Invalid", asdict=lambda: {"a": f'"{VALUE}" is not a number', "b.c": "Required"}), Code.VALIDATION_FAILED, [("a", "is not a number"), ("b.c", "is required")]),
        (look_alike("trafaret.dataerror.DataError", as_dict=lambda: {"a": {"b": "is required"}}), Code.MISSING_REQUIRED_FIELD, [("a.b", "is required")]),
        (look_alike("fastjsonschema.exceptions.JsonSchemaException", path=["data", "a"], rule="maximum", rule_definition=3, value=VALUE), Code.VALIDATION_FAILED, [("a", "must be at most 3")]),
        (look_alike("fastjsonschema.exceptions.JsonSchemaException", path=["data"], rule="required", rule_definition=["a"], value={}), Code.MISSING_REQUIRED_FIELD, [("a", "is required")]),
        (look_alike("pandera.errors.SchemaError", column_name="a", check="greater_than(0)"), Code.VALIDATION_FAILED, [("a", "does not pass greater_than(0)")]),
        (look_alike("validators.utils.ValidationError", func=classify), Code.VALIDATION_FAILED, []),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else "",
)  # fmt: skip
def test_libraries_that_are_not_here_are_known_by_name_and_attributes(error, code, expected):
    fault = classify(error)
    assert fault.code is code
    if expected:
        assert issues(fault) == expected
    assert VALUE not in repr(fault)


def test_a_command_line_lacks_an_argument_or_has_a_wrong_one():
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("--n", type=int)
    assert classify(raised(parser.parse_args, ["--n", "x"])).code is Code.INVALID_PARAMS
    missing = argparse.ArgumentError(None, "the following arguments are required: --n")
    assert classify(missing).code is Code.MISSING_REQUIRED_FIELD


def test_click_names_the_parameter_and_not_the_value():
    click = module("click")
    command = click.Command("c", params=[click.Option(["--n"], type=int, required=True)])
    wrong = classify(raised(command.main, ["--n", VALUE], standalone_mode=False))
    assert (wrong.code, issues(wrong)) == (Code.INVALID_PARAMS, [("n", "is not a valid integer")])
    missing = classify(raised(command.main, [], standalone_mode=False))
    assert (missing.code, issues(missing)) == (Code.MISSING_REQUIRED_FIELD, [("n", "is required")])


class TestHostileValidators:
    """What a foreign object gives is bounded, and need not be what it should be."""

    @pytest.mark.parametrize("name", sorted(name for name, rule in FAMILIES["validation"].items() if callable(rule)))
    @pytest.mark.parametrize(
        "junk", [None, 0, "x", [], {}, object(), [None, 1], {"a": None}], ids=lambda junk: type(junk).__name__
    )
    def test_any_attribute_may_be_anything(self, name, junk):
        class AnythingError(Exception):
            def __getattribute__(self, attribute):
                return junk if not attribute.startswith("__") else super().__getattribute__(attribute)

        AnythingError.__module__, _, AnythingError.__qualname__ = name.rpartition(".")
        assert classify(AnythingError("…")).message

    def test_messages_without_an_end_end(self):
        endless: dict[str, object] = {}
        endless["a"] = endless
        assert list(flatten_problems(endless)) == []

    def test_a_path_is_bounded(self):
        assert len(path_of(["x" * 1000] * 1000)) < 4_000

    def test_a_long_tag_cannot_push_the_rule_out_of_sight(self):
        assert VALUE not in predicate(f"Input tag '{VALUE * 1000}' found using 'kind' does not match")
