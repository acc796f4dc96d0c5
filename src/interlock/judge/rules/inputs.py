"""Which candidate a call should target: the rule of `pick_input`.

Names first, then kinds of files, then what files of a kind usually hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interlock.tools.task.clauses import clauses_of
from interlock.judge.rules.fields import Fields
from interlock.tools.task.filesets import is_test, kind_of, meant_files
from interlock.tools.task.terms import terms
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Choice, Question
from interlock.tools.base import ToolTable
from interlock.tools.mentions import find_named, mentions, stem

__all__ = ["pick_input"]

_TOPICS: tuple[tuple[str, str], ...] = (
    (r"\bdependenc|\bdepend|third.party|\blibrar|\bpackages?\b|\brequire|依赖|第三方|哪些库", r"(?:^|/)(?:requirements[\w-]*\.txt|pyproject\.toml|package\.json|go\.mod|cargo\.toml|gemfile|pom\.xml|build\.gradle|composer\.json|setup\.py|setup\.cfg|pipfile|environment\.yml)$"),
    (r"\blicen[sc]e|copyright|许可证|授权协议|版权", r"(?:^|/)(?:licen[sc]e|copying|notice)(?:\.\w+)?$"),
    (r"\bbase image|\bcontainer|\bdocker|镜像|容器", r"(?:^|/)(?:dockerfile|containerfile|docker-compose\.ya?ml|compose\.ya?ml)$"),
    (r"\bchange[ds]?\b|\brelease|what'?s new|\bchangelog|更新了|改动|变更|新版本", r"(?:^|/)(?:changelog|changes|history|news|release[\w-]*|变更\w*|更新\w*)(?:\.\w+)?$"),
    (r"\bfail|\bcrash|\bwent wrong|\berrors? (?:occur|happen|appear)|last night|\bexception|失败|崩溃|报错|出错|异常|昨晚", r"\.log$|(?:^|/)logs?/"),
    (r"\bcolou?r|\bfont|\bmargin|\bpadding|\bbackground|\bstyl|颜色|字体|样式|背景", r"\.(?:css|scss|less|sass)$"),
    (r"\bcolumns?\b|\btables?\b|\bschema|\bdatabase structure|\bprimary key|\bforeign key|表结构|字段|建表|数据库", r"\.sql$|(?:^|/)schema\.\w+$|\.prisma$"),
    (r"\binstall|\bset ?up|\bget(?:ting)? started|安装|入门", r"(?:^|/)(?:install\w*|getting[_-]started|quickstart|setup|安装\w*)\.(?:md|rst|txt)$"),
    (r"\bbuild (?:step|target|rule)|\bmake target|\bhow .*\bbuilt?\b|构建目标", r"(?:^|/)(?:makefile|cmakelists\.txt|build\.gradle|justfile)$"),
    (r"\bci\b|continuous integration|\bworkflow|流水线|持续集成", r"(?:^|/)(?:\.github/|\.gitlab-ci|jenkinsfile|ci\.ya?ml|\.circleci)"),
    (r"\bcontribut|贡献", r"(?:^|/)contributing(?:\.\w+)?$"),
    (r"\bport\b|\btimeout|\bsetting|\bconfigur|\bhost\b|\boptions? (?:is|are) set|\bretr(?:y|ies)\b|配置|端口|超时|参数设置", r"(?:^|/)(?:config|settings?|application|app|default|server|配置|设置)\w*\.(?:ya?ml|toml|json|ini|cfg|conf|env|properties)$|\.(?:ya?ml|toml|ini|cfg|conf|env|properties)$"),
    (r"\bentry ?point|\bstart(?:s|ed|ing)? (?:up|the)|\bmain (?:function|program)|入口", r"(?:^|/)(?:main|index|app|__main__|cli)\.\w+$"),
    (r"\bversion\b|版本", r"(?:^|/)(?:pyproject\.toml|package\.json|cargo\.toml|version(?:\.\w+)?|setup\.py)$"),
    (r"\btests?\b|\btested\b|测试", r"(?:^|[/_.-])tests?[/_.-]|(?:^|/)test_"),
    (r"\brout(?:e|es|ing)\b|\bendpoints?\b|\burls?\b|接口|路由", r"(?:^|/)(?:routes?|urls|api|endpoints?|router)\w*\.\w+$"),
    (r"\btranslat|\bi18n|\blocali[sz]|\bwording\b|翻译文本|多语言", r"(?:^|/)(?:locales?|i18n|lang|messages)(?:/|\.)"),
    (r"\bwhat (?:is|does) (?:this|the) (?:project|repo|repository|package|tool|app|program)\b|\bpurpose\b|\boverview\b|\babout\b|\btitle\b|项目是(?:做)?什么|项目介绍|简介|用途", r"(?:^|/)(?:readme|说明|简介)(?:\.\w+)?$"),
    (r"\bto.?dos?\b|待办", r"(?:^|/)(?:todo|待办)\w*\.\w+$"),
)  # fmt: skip
_ORDER = re.compile(r"\b(first|last)\b (?:\w+ )?file|(第一|最后一)个文件", re.IGNORECASE)


def pick_input(fields: Fields, question: Question, _tools: ToolTable) -> Verdict | None:
    """The candidate that the task names, or the only plausible one."""
    task = fields.text("task")
    if not isinstance(question, Choice) or not task.strip():
        return None
    read = fields.items("already_read")
    options = tuple(question.criteria)
    fresh = tuple(option for option in options if option not in read)
    return (
        _by_name(task, fresh)
        or _by_record(task, fresh)
        or _by_kind(task, fresh, read)
        or _by_topic(task, fresh)
        or _by_words(task, fresh)
    )


def _by_name(task: str, options: Sequence[str]) -> Verdict | None:
    wanted = " ".join(clause.text for clause in clauses_of(task)) or task
    named = find_named(wanted, options)
    if not named:
        return None
    return exact(named[0]) if len(named) == 1 else likely(named[0])


def _by_record(task: str, options: Sequence[str]) -> Verdict | None:
    """An option that is, or begins with, an identifier or a number of the task."""
    seen = mentions(task)
    names = {name.lower() for name in (*seen.identifiers, *seen.quoted, *seen.addresses, *seen.numbers)}
    hits = [option for option in options if option.lower() in names]
    if len(hits) == 1:
        return exact(hits[0])
    years = [
        option
        for option in options
        if any(re.search(rf"(?<!\d){re.escape(n)}(?!\d)", option) for n in seen.numbers if len(n) >= 2)
    ]
    return likely(years[0]) if len(years) == 1 else None


def _by_kind(task: str, options: Sequence[str], read: Sequence[str]) -> Verdict | None:
    for clause in clauses_of(task):
        files = meant_files(clause.text, clause.excepted, options, "")
        if files.every and files.paths:
            return exact(files.paths[0]) if len(files.paths) == 1 else likely(files.paths[0])
        kinds = kind_of(clause.text)
        if not kinds:
            continue
        of_kind = [option for option in options if option.rpartition(".")[2].lower() in kinds]
        kept = (
            of_kind
            if re.search(r"test|测试", clause.text)
            else [option for option in of_kind if not is_test(option)] or of_kind
        )
        if len(kept) == 1 and (
            files.count or re.search(r"\bfiles?\b|文件|\bscripts?\b|\bmodules?\b|脚本", clause.text)
        ):
            return likely(kept[0])
    return None


def _by_topic(task: str, options: Sequence[str]) -> Verdict | None:
    for topic, names in _TOPICS:
        if not re.search(topic, task, re.IGNORECASE):
            continue
        hits = [option for option in options if re.search(names, option.lower())]
        best = _closest(task, hits) if len(hits) > 1 else hits
        if best:
            return likely(best[0])
    return None


def _by_words(task: str, options: Sequence[str]) -> Verdict | None:
    wanted = " ".join(clause.text for clause in clauses_of(task)) or task
    best = _closest(wanted, options)
    if len(best) == 1:
        return likely(best[0])
    ordered = _ORDER.search(task)
    if ordered and options:
        return likely(
            options[0] if (ordered.group(1) or "").lower() == "first" or ordered.group(2) == "第一" else options[-1]
        )
    return None


def _closest(task: str, options: Sequence[str]) -> list[str]:
    """The options that share the most words with the task; a file of tests only when tests are asked for."""
    wanted = terms(task)
    tests = re.search(r"\btests?\b|测试", task) is not None
    scored = {
        option: 2 * len(wanted & terms(stem(option))) + (len(wanted & terms(option)) > 0) - (is_test(option) != tests)
        for option in options
    }
    top = max(scored.values(), default=0)
    return [option for option, score in scored.items() if score == top and score > 0]
