"""Which verb stands for which act, in English and Chinese, in tasks and in the names of tools.

Vocabulary only. An act is one of the effects of `tools.base` or, for what has no effect of its own there,
one verb for all its synonyms, such as `restart`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

__all__ = ["CHINESE", "OBSERVING", "phrase_act", "root", "verb_act"]

OBSERVING = frozenset({"list", "read", "search"})
"""Acts that change nothing."""

_ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "list": "list ls dir tree enumerate glob",
        "read": "read show tell explain summarise summarize describe compare view cat open print display get"
        " fetch inspect"
        " examine review look count check give name quote extract analyse analyze load retrieve status head tail"
        " select"
        " query lookup preview identify determine state outline report calculate compute measure verify diff"
        " translate",
        "search": "search find grep locate rg seek",
        "write": "write create add save append insert update edit fix change replace set copy put modify correct make"
        " implement refactor bump store record generate convert export mkdir touch adjust increase decrease lower"
        " raise"
        " overwrite patch draft duplicate clone draw prepend log register upsert amend tidy reformat",
        "move": "move rename relocate mv",
        "delete": "delete remove drop erase purge clear clean wipe unlink discard rm truncate destroy trash",
        "send": "send email mail notify message reply forward post publish announce text ping sms alert inform"
        " slack invite",
        "restart": "restart reboot bounce",
        "stop": "stop halt shutdown terminate kill pause suspend",
        "start": "start launch boot resume",
        "deploy": "deploy release ship rollout",
        "rollback": "rollback revert undo",
        "close": "close resolve",
        "reopen": "reopen",
        "refund": "refund reimburse",
        "pay": "pay charge bill",
        "cancel": "cancel abort",
        "approve": "approve accept",
        "reject": "reject decline",
        "assign": "assign reassign delegate",
        "merge": "merge",
        "run": "run execute invoke exec",
        "build": "build compile",
        "install": "install",
        "test": "test",
        "schedule": "schedule book reserve plan",
        "enable": "enable activate unlock",
        "disable": "disable deactivate lock block",
        "reset": "reset",
        "grant": "grant",
        "revoke": "revoke",
        "upload": "upload",
        "download": "download",
        "scale": "scale resize",
        "backup": "backup",
        "restore": "restore recover",
        "archive": "archive",
        "push": "push",
        "commit": "commit",
        "migrate": "migrate",
        "transfer": "transfer",
        "escalate": "escalate",
        "tag": "tag label",
        "subscribe": "subscribe",
    }
)

CHINESE: tuple[tuple[str, str], ...] = tuple(
    (word, act)
    for act, words in {
        "move": "移动到 移动 移到 移至 移入 挪到 搬到 重命名 改名 更名",
        "delete": "删除 删掉 删去 移除 清除 清空 清理 去掉 删了 卸载",
        "send": "告诉 发送 发邮件 发一封 发一条 发封 发短信 发消息 发给 通知 转发 回复 寄给 告知",
        "restart": "重启 重新启动",
        "stop": "停止 停掉 停用服务 终止 暂停",
        "start": "启动 开启服务",
        "deploy": "部署 上线",
        "rollback": "回滚",
        "close": "关闭 关掉 结案",
        "refund": "退款 退还",
        "pay": "付款 支付 扣款 收款",
        "cancel": "取消",
        "approve": "批准 审批通过",
        "reject": "驳回 拒绝申请",
        "assign": "分配给 指派 派给 分给",
        "merge": "合并",
        "run": "运行 执行 跑一下 跑一遍",
        "build": "构建 编译",
        "install": "安装",
        "schedule": "预订 预约 安排 预定",
        "enable": "启用",
        "disable": "禁用 停用 封禁",
        "reset": "重置",
        "grant": "授权给 授予",
        "revoke": "撤销",
        "upload": "上传",
        "download": "下载",
        "scale": "扩容 缩容",
        "backup": "备份",
        "restore": "恢复 还原",
        "archive": "归档",
        "push": "推送",
        "commit": "提交代码 提交更改",
        "write": "写好 写完 写入 写到 写进 写成 写一 写个 新建 创建 建一 保存 存为 存到 存成 存入 复制 抄到 抄进 抄写"
        " 拷贝 添加 加入 加到 加一 加上 增加 追加 更新 修改 改成 改为 修复 修正 替换 插入 记到 登记 设置 设为 设成"
        " 导出到 转成 转换 调整 改一下 抄",
        "search": "查找 搜索 找出 找到 找一下 搜一下 检索 找",
        "list": "列出 列一下 列举",
        "read": "读取 读一下 读完 阅读 查看 看一下 看看 打开 解释 总结 概括 概述 说明一下 介绍 比较 对比 统计"
        " 告诉我 查询 查一下"
        " 检查 分析 翻译 描述 读 查 数一下",
    }.items()
    for word in words.split()
)
"""(word, act), changing acts first, longer words of one act first."""

_IRREGULAR = MappingProxyType(
    {
        "wrote": "write", "written": "write", "sent": "send", "made": "make", "ran": "run", "built": "build",
        "found": "find", "told": "tell", "shown": "show", "paid": "pay", "began": "begin", "put": "put", "set": "set",
        "kept": "keep", "gave": "give", "given": "give", "took": "take", "got": "get", "went": "go", "done": "do",
        "was": "be", "were": "be", "been": "be", "is": "be", "are": "be", "has": "have", "had": "have",
    }
)  # fmt: skip


def root(word: str) -> str:
    """Return the form that the inflections of one English word share: `defines`, `defined` → `defin`."""
    lower = _IRREGULAR.get(word.lower(), word.lower())
    if len(lower) > 4 and lower.endswith(("ies", "ied")):
        return lower[:-3] + "y"
    for ending in ("ing", "ed", "es", "s"):
        kept = len(lower) - len(ending)
        if (
            lower.endswith(ending)
            and kept >= 3
            and not lower.endswith(("ss", "us", "is"))
            and re.search("[aeiouy]", lower[:kept])
        ):
            lower = lower[:kept]
            break
    if len(lower) > 3 and lower[-1] == lower[-2] and lower[-1] not in "aeiou":
        lower = lower[:-1]
    return lower.removesuffix("e") if len(lower) > 3 else lower


def _roots(table: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return ((root(word), act) for act, words in table.items() for word in words.split())


_ACTS: Mapping[str, str] = MappingProxyType(dict(_roots(_ENGLISH)))


_PHRASES = (
    (
        re.compile(
            r"(?:open|raise|log|submit) (?:an?|another|new) (?:\S+ ){0,2}?"
            r"(?:request|issue|ticket|account|case|bug|incident)\b"
        ),
        "write",
    ),
    (
        re.compile(r"(?:shut|take|bring) (?:\S+ ){0,3}?(?:down|offline)\b|(?:turn|switch|power) (?:\S+ ){0,3}?off\b"),
        "stop",
    ),
    (
        re.compile(r"(?:bring|spin|fire) (?:\S+ ){0,3}?up\b|(?:turn|switch|power) (?:\S+ ){0,3}?on\b|kick off\b"),
        "start",
    ),
    (re.compile(r"roll (?:\S+ ){0,3}?back\b"), "rollback"),
    (re.compile(r"back (?:\S+ ){0,3}?up\b"), "backup"),
    (re.compile(r"(?:tear down|get rid of|throw away|do away with)\b"), "delete"),
    (re.compile(r"(?:look up|look at|have a look|find out|go through|walk me through|figure out)\b"), "read"),
    (re.compile(r"(?:give|grant|allow) (?:\S+ ){1,4}?(?:access|permissions?|rights|admin|roles?)\b"), "grant"),
    (re.compile(r"take (?:\S+ ){0,4}?(?:access|permissions?|rights)\b"), "revoke"),
    (re.compile(r"(?:let|make) \S+ (?:\S+ ){0,3}?know\b"), "send"),
)


def phrase_act(text: str) -> str | None:
    """Return the act of the verb phrase that a text begins with, such as `shut down`; None for another text."""
    lower = text.lower()
    return next((act for pattern, act in _PHRASES if pattern.match(lower)), None)


def verb_act(word: str) -> str | None:
    """Return the act of an English verb in any inflection, or None for another word."""
    return _ACTS.get(root(word))
