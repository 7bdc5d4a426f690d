"""A contract for import-linter: a package is reached through its `__init__`, never through its private modules."""

import grimp
from importlinter import Contract, ContractCheck, output


class FacadeContract(Contract):
    """No module imports a private module of a package that it is not part of."""

    type_name = "facade"

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001 - import-linter's signature.
        """Collect the imports that go past a facade."""
        past = sorted(
            (importer, imported, package)
            for importer in graph.modules
            for imported in graph.find_modules_directly_imported_by(importer)
            if (package := _closed_package(imported, importer))
        )
        return ContractCheck(kept=not past, metadata={"past": past})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print each such import, and what to write instead."""
        for importer, imported, package in check.metadata["past"]:
            output.print_error(f"- {importer} -> {imported}: import it from {package}")


def _closed_package(imported: str, importer: str) -> str | None:
    """Return the package whose private module is imported from outside of it, if there is one."""
    parts = imported.split(".")
    packages = (".".join(parts[:depth]) for depth, part in enumerate(parts) if part.startswith("_"))
    return next((package for package in packages if not f"{importer}.".startswith(f"{package}.")), None)
