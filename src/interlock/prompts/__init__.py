"""Prompts in three layers: the pack, the state that each turn fills, and the messages they become."""

from interlock.prompts.layers import LAYERS, Layer, LayerRef
from interlock.prompts.loop import BUDGET_KEYS, EMPTY_LOOP, LOOP_KEYS, fill_loop, read_tools
from interlock.prompts.pack import PromptPack
from interlock.prompts.render import ObservationRole, Wanted, observation_messages, render_pack
from interlock.prompts.wording import ReplyForm

__all__ = [
    "BUDGET_KEYS",
    "EMPTY_LOOP",
    "LAYERS",
    "LOOP_KEYS",
    "Layer",
    "LayerRef",
    "ObservationRole",
    "PromptPack",
    "ReplyForm",
    "Wanted",
    "fill_loop",
    "observation_messages",
    "read_tools",
    "render_pack",
]
