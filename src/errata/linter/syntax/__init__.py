"""The syntax tree of one file: its functions and classes, and what the names in it stand for."""

from errata.linter.syntax._dotted_names import MEMBERS, UNKNOWN, get_called_name, get_last_part, spell_name
from errata.linter.syntax._name_bindings import find_table, list_choices, list_items, resolve_origin
from errata.linter.syntax._syntax_tree import Class, Function, Module, Site, Try, make_instance
from errata.linter.syntax._tree_walk import parse_module

__all__ = [
    "MEMBERS",
    "UNKNOWN",
    "Class",
    "Function",
    "Module",
    "Site",
    "Try",
    "find_table",
    "get_called_name",
    "get_last_part",
    "list_choices",
    "list_items",
    "make_instance",
    "parse_module",
    "resolve_origin",
    "spell_name",
]
