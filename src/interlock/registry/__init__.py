"""Registries of prompts: versions that never change, labels that move, and a history of both."""

from interlock.registry.base import PRODUCTION, Prompt, PromptRegistry, diff_prompts, parse_ref
from interlock.registry.database import Database, DatabaseRegistry
from interlock.registry.files import FileRegistry
from interlock.registry.index import Change, Entry, Index, Label
from interlock.registry.pack import STANDARD_LAYERS, find_prompt, load_pack, pack_of
from interlock.registry.place import open_registry, shipped_registry
from interlock.registry.sqlite import SqliteDatabase
from interlock.registry.sticky import sticky

__all__ = [
    "PRODUCTION",
    "STANDARD_LAYERS",
    "Change",
    "Database",
    "DatabaseRegistry",
    "Entry",
    "FileRegistry",
    "Index",
    "Label",
    "Prompt",
    "PromptRegistry",
    "SqliteDatabase",
    "diff_prompts",
    "find_prompt",
    "load_pack",
    "open_registry",
    "pack_of",
    "parse_ref",
    "shipped_registry",
    "sticky",
]
