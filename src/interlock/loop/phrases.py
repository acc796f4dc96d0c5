"""The sentences that the extractive writer puts around what it quotes, in English and Chinese.

Each states what the evidence shows and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.tools.mentions import Language

__all__ = ["Phrases", "phrases"]

Relation: TypeAlias = Literal["exports", "defines"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The sentences of one language."""

    lang: Language

    def _one(self, english: str, chinese: str) -> str:
        return chinese if self.lang == "zh" else english

    def names(self, path: str, relation: Relation, names: Sequence[str]) -> str:
        """A file and the names that it exports or defines."""
        listed = ("、" if self.lang == "zh" else ", ").join(f"`{name}`" for name in names)
        verb = {"exports": ("exports", "导出了"), "defines": ("defines", "定义了")}[relation]
        return self._one(f"{path} {verb[0]} {listed}.", f"{path} {verb[1]} {listed}。")

    def no_names(self, path: str, relation: Relation) -> str:
        """A file in which no such name was seen."""
        verb = {"exports": ("exports", "导出"), "defines": ("defines", "定义")}[relation]
        return self._one(f"{path} {verb[0]} nothing of that kind.", f"{path} 没有{verb[1]}这样的内容。")

    def quoted(self) -> str:
        """Opens quotes that answer the task."""
        return self._one("This is what was found:", "找到的内容：")

    def nearest(self) -> str:
        """Opens quotes that only come near."""
        return self._one(
            "What was read does not answer this. The closest lines are:", "读到的内容里没有答案。最接近的几行是："
        )

    def not_found(self) -> str:
        """Nothing that was seen speaks of it."""
        return self._one("Nothing that was read or found answers this.", "读到和找到的内容里没有答案。")

    def nothing_done(self) -> str:
        """No tool ran."""
        return self._one(
            "No tool was called, so there is nothing to report.", "没有调用任何工具，因此没有可报告的内容。"
        )

    def not_carried_out(self) -> str:
        """A change that the task asks for did not take place."""
        return self._one(
            "Not carried out: a change that the task asks for did not take place.", "未完成：任务要求的更改没有执行。"
        )

    def files(self) -> str:
        """Opens a listing."""
        return self._one("These files were listed:", "列出的文件：")

    def count(self, files: int) -> str:
        """How many files a listing holds."""
        return self._one(f"The listing holds {files} files.", f"目录里共有 {files} 个文件。")

    def no_files(self) -> str:
        """An empty listing."""
        return self._one("The listing holds no files.", "目录里没有文件。")

    def more(self) -> str:
        """Some of it is left out."""
        return self._one("There is more that is not shown here.", "还有更多内容没有在这里列出。")

    def wrote(self, path: str) -> str:
        """A file was written."""
        return self._one(f"Wrote {path}.", f"已写入 {path}。")

    def moved(self, source: str, target: str) -> str:
        """A file was moved."""
        return self._one(f"Moved {source} to {target}.", f"已把 {source} 移动到 {target}。")

    def deleted(self, path: str) -> str:
        """A file was deleted."""
        return self._one(f"Deleted {path}.", f"已删除 {path}。")

    def failed(self, call: str, message: str) -> str:
        """A call failed."""
        return self._one(f"{call} did not work: {message}", f"{call} 没有成功：{message}")


_BY_LANGUAGE = {"en": Phrases(lang="en"), "zh": Phrases(lang="zh")}


def phrases(lang: Language) -> Phrases:
    """Return the sentences of a language."""
    return _BY_LANGUAGE[lang]
