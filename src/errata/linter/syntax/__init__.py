"""One file as a syntax tree that knows its functions, and what the names in it stand for."""

from errata.linter.syntax._dotted_names import MEMBERS, UNKNOWN, called_as, last_of, written
from errata.linter.syntax._name_bindings import listed, origin_of, picked, table_of
from errata.linter.syntax._syntax_tree import Class, Function, Module, Site, Try, instance_of
from errata.linter.syntax._tree_walk import module_of

__all__ = [
    "MEMBERS",
    "UNKNOWN",
    "Class",
    "Function",
    "Module",
    "Site",
    "Try",
    "called_as",
    "instance_of",
    "last_of",
    "listed",
    "module_of",
    "origin_of",
    "picked",
    "table_of",
    "written",
]
