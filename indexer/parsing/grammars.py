"""What counts as a definition in the languages that tree-sitter reads: one query each.

A query is tree-sitter's own notation for nodes of its tree. What it captures:

* ``@class``, ``@function``, ``@module``: a definition of that kind. A module (namespace, package)
  only groups what it holds. ``@instance`` is a class called by all that stands before its body,
  ``@clause`` a function of which more clauses may follow.
* ``@name``: what it is called, if not the node's field ``name``; without either, what stands
  before its body.
* ``@end``: a node behind it that ends it. ``@outer``: a node around it that begins it.
* ``@lead``: what belongs to the definition below it, beside comments, which always do.
"""

from pathlib import PurePath
from typing import NamedTuple


class Grammar(NamedTuple):
    """The query for the definitions of a language, and where its grammar is: the package
    ``tree_sitter_{package}`` gives it by the function ``loader``."""

    package: str
    query: str
    loader: str = "language"


_SCRIPT = """
    [(function_declaration) (generator_function_declaration) (method_definition)] @function
    (variable_declarator name: (identifier) value:
        [(arrow_function) (function_expression) (generator_function)]) @function
    (variable_declarator value: (class)) @class
    (assignment_expression left: (_) @name right:
        [(arrow_function) (function_expression) (generator_function)]) @function
    (assignment_expression left: (_) @name right: (class)) @class
    (pair key: (_) @name value:
        [(arrow_function) (function_expression) (generator_function)]) @function
    [(export_statement) (lexical_declaration) (variable_declaration)] @outer
    (decorator) @lead
"""
_JAVASCRIPT = (
    _SCRIPT
    + """
    (class_declaration) @class
    (field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @function
    """
)
_TYPESCRIPT = (
    _SCRIPT
    + """
    [(class_declaration) (abstract_class_declaration) (interface_declaration)
     (enum_declaration) (type_alias_declaration)] @class
    [(internal_module) (module)] @module
    (public_field_definition value: [(arrow_function) (function_expression)]) @function
    """
)
_C = """
    (function_definition declarator: (_) @name) @function
    (struct_specifier name: (_) body: (_)) @class
    (union_specifier name: (_) body: (_)) @class
    (enum_specifier name: (_) body: (_)) @class
    (type_definition type: (_ !name body: (_)) declarator: (_) @name) @class
    (type_definition) @outer
"""
_GRAMMARS = {
    "python": Grammar(
        "python",
        """
        (class_definition) @class
        (function_definition) @function
        (decorated_definition) @outer
        """,
    ),
    "javascript": Grammar("javascript", _JAVASCRIPT),
    "typescript": Grammar("typescript", _TYPESCRIPT, "language_typescript"),
    "tsx": Grammar("typescript", _TYPESCRIPT, "language_tsx"),
    "java": Grammar(
        "java",
        """
        [(class_declaration) (interface_declaration) (enum_declaration) (record_declaration)
         (annotation_type_declaration)] @class
        [(method_declaration) (constructor_declaration) (compact_constructor_declaration)] @function
        """,
    ),
    "c": Grammar("c", _C),
    "cpp": Grammar(
        "cpp",
        _C
        + """
        (class_specifier name: (_) body: (_)) @class
        (concept_definition) @class
        (namespace_definition name: (_)) @module
        (template_declaration) @outer
        """,
    ),
    "objectivec": Grammar(
        "objc",
        _C
        + """
        [(class_interface . (identifier) @name) (class_implementation . (identifier) @name)
         (protocol_declaration . (identifier) @name)] @class
        [(method_declaration (method_type) . (identifier) @name)
         (method_definition (method_type) . (identifier) @name)] @function
        """,
    ),
    "csharp": Grammar(
        "c_sharp",
        """
        [(namespace_declaration) (file_scoped_namespace_declaration)] @module
        [(class_declaration) (interface_declaration) (struct_declaration) (enum_declaration)
         (record_declaration) (delegate_declaration)] @class
        [(method_declaration) (constructor_declaration) (destructor_declaration)
         (local_function_statement)] @function
        (operator_declaration operator: _ @name) @function
        (property_declaration accessors: (accessor_list (accessor_declaration body: (_)))) @function
        (property_declaration value: (_)) @function
        """,
    ),
    "go": Grammar(
        "go",
        """
        (type_spec type: [(struct_type) (interface_type)]) @class
        (function_declaration) @function
        (method_declaration) @function
        (type_declaration) @outer
        """,
    ),
    "rust": Grammar(
        "rust",
        """
        [(struct_item) (enum_item) (union_item) (trait_item)] @class
        (impl_item) @instance
        (mod_item body: (_)) @module
        [(function_item) (function_signature_item) (macro_definition)] @function
        (attribute_item) @lead
        """,
    ),
    "ruby": Grammar(
        "ruby",
        """
        (module) @module
        (class) @class
        [(method) (singleton_method)] @function
        """,
    ),
    "php": Grammar(
        "php",
        """
        [(class_declaration) (interface_declaration) (trait_declaration)
         (enum_declaration)] @class
        [(function_definition) (method_declaration)] @function
        (namespace_definition body: (_)) @module
        """,
        "language_php",
    ),
    "swift": Grammar(
        "swift",
        """
        [(class_declaration) (protocol_declaration)] @class
        [(function_declaration) (protocol_function_declaration) (init_declaration)
         (deinit_declaration) (subscript_declaration "subscript" @name)] @function
        """,
    ),
    "kotlin": Grammar(
        "kotlin",
        """
        [(class_declaration) (object_declaration) (companion_object)] @class
        [(function_declaration) (secondary_constructor)] @function
        """,
    ),
    "scala": Grammar(
        "scala",
        """
        (package_clause body: (_)) @module
        [(class_definition) (object_definition) (trait_definition) (enum_definition)] @class
        [(function_definition) (function_declaration)] @function
        """,
    ),
    "lua": Grammar(
        "lua",
        """
        (function_declaration) @function
        (assignment_statement (variable_list . (_) @name .)
            (expression_list . (function_definition) .)) @function
        (field name: (_) value: (function_definition)) @function
        """,
    ),
    "shell": Grammar("bash", "(function_definition) @function"),
    "sql": Grammar(
        "sql",
        """
        (create_table (object_reference) @name) @class
        (create_view (object_reference) @name) @class
        (create_materialized_view (object_reference) @name) @class
        (create_type (object_reference) @name) @class
        (create_sequence (object_reference) @name) @class
        (create_schema (identifier) @name) @class
        (create_index column: (_) @name) @class
        (create_function . (keyword_create) (object_reference) @name) @function
        (create_trigger . (keyword_create) (object_reference) @name) @function
        """,
    ),
    "dart": Grammar(
        "dart",
        """
        [(class_definition) (enum_declaration) (extension_declaration)] @class
        (mixin_declaration (identifier) @name) @class
        ([(function_signature name: (_) @name) (getter_signature name: (_) @name)
          (setter_signature name: (_) @name)] @function . (function_body) @end)
        ((method_signature (_ name: (_) @name)) @function . (function_body) @end)
        (annotation) @lead
        """,
    ),
    "haskell": Grammar(
        "haskell",
        """
        (declarations [(data_type) (newtype) (type_synonym)] @class)
        (class name: (_)) @class
        (declarations (instance) @instance)
        (declarations [(signature) (function) (bind)] @clause)
        """,
    ),
    "ocaml": Grammar(
        "ocaml",
        """
        (module_definition (module_binding . (_) @name)) @module
        (type_definition (type_binding name: (_) @name)) @class
        (class_definition (class_binding (class_name) @name)) @class
        (structure (value_definition (let_binding pattern: (_) @name) @function))
        (compilation_unit (value_definition (let_binding pattern: (_) @name) @function))
        (let_binding pattern: (value_name) @name . (parameter)) @function
        """,
        "language_ocaml",
    ),
    "elixir": Grammar(
        "elixir",
        """
        ((call target: (identifier) @_word (arguments . (alias) @name)) @class
            (#any-of? @_word "defmodule" "defprotocol" "defimpl"))
        ((call target: (identifier) @_word (arguments . [
            (identifier) @name
            (call target: (identifier) @name)
            (binary_operator left: (call target: (identifier) @name))])) @function
            (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "defguard" "defdelegate"))
        (unary_operator operator: "@" operand: (call target: (identifier) @_word)
            (#any-of? @_word "doc" "spec" "moduledoc" "impl")) @lead
        """,
    ),
    "perl": Grammar(
        "perl",
        """
        (package_statement (block)) @module
        (subroutine_declaration_statement) @function
        """,
    ),
    "julia": Grammar(
        "julia",
        """
        (module_definition) @module
        [(struct_definition (type_head) @name) (abstract_definition (type_head) @name)] @class
        [(function_definition) (macro_definition)] @function
        (assignment . (call_expression . (_) @name)) @function
        """,
    ),
    "zig": Grammar(
        "zig",
        """
        (variable_declaration (identifier) @name
            [(struct_declaration) (enum_declaration) (union_declaration)]) @class
        (function_declaration) @function
        (test_declaration (string) @name) @function
        """,
    ),
}


def grammar_of(language: str, name: str) -> Grammar | None:
    """The grammar for a file called ``name`` in ``language``; None if we have none."""
    if language == "typescript" and PurePath(name).suffix.lower() == ".tsx":
        language = "tsx"
    return _GRAMMARS.get(language)
