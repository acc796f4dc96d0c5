"""What files of which name usually hold: a table from words of a question to names of files.

Vocabulary only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interlock.tools.task.lexicon import either

__all__ = ["on_topic"]

_SETTINGS = (
    r"(?:^|/)(?:config|settings?|application|app|default|server|配置|设置)\w*\.(?:ya?ml|toml|json|ini|cfg|conf|env"
    r"|properties)$"
    r"|\.(?:ya?ml|toml|ini|cfg|conf|env|properties)$|(?:^|/)\.env"
)
_DEPENDENCIES = (
    r"(?:^|/)(?:requirements[\w-]*\.txt|pyproject\.toml|package\.json|go\.mod|cargo\.toml|gemfile|pom\.xml"
    r"|build\.gradle|composer\.json|setup\.py|setup\.cfg|pipfile|environment\.yml)$"
)
_TOPICS: tuple[tuple[re.Pattern[str], str], ...] = (
    (either(r"tests? tested specs?", "测试"), r"(?:^|[/_.-])(?:tests?|specs?)[/_.-]|(?:^|/)test_"),
    (
        either(
            r"dependenc\w+ depends? third.party librar\w+ crates? gems? npm_packages? requirements?",
            "依赖 第三方 哪些库 哪些包",
        ),
        _DEPENDENCIES,
    ),
    (
        either(r"licen[sc]ed? copyright", "许可证 许可协议 授权协议 版权"),
        r"(?:^|/)(?:licen[sc]e|copying|notice)(?:\.\w+)?$",
    ),
    (
        either(r"base_image containers? docker\w*", "镜像 容器"),
        r"(?:^|/)(?:dockerfile|containerfile|docker-compose\.ya?ml|compose\.ya?ml)$",
    ),
    (
        either(
            r"changed in_the_(?:last|latest|newest)_(?:release"
            r"|version) what's_new release_notes changelog new_in added_in since_version when_was_\w+_(?:\w+_)?added",
            "改了什么 更新了 改动 变更 新版本 新增了 版本历史",
        ),
        r"(?:^|/)(?:changelog|changes|history|news|releases?[\w-]*|变更\w*|更新\w*|发布\w*)(?:\.\w+)?$",
    ),
    (
        either(
            r"fail\w* crash\w* went_wrong exceptions? (?:go|goes|went)_down outage stopped_working",
            "失败 崩溃 报错 出错 异常 宕机",
        ),
        r"\.log(?:\.\d+)?$|(?:^|/)logs?/",
    ),
    (
        either(r"colou?rs? fonts? margins? padding background styl\w+ layout_of_the_page", "颜色 字体 样式 背景 边距"),
        r"\.(?:css|scss|less|sass)$",
    ),
    (
        either(
            r"columns? tables? schema database_structure primary_key foreign_key index(?:es)?_on",
            "表结构 字段 建表 数据表 主键 外键",
        ),
        r"\.sql$|(?:^|/)schema\.\w+$|\.prisma$|(?:^|/)models?\.\w+$",
    ),
    (
        either(r"install\w* set_?up getting_started", "安装 入门 部署步骤"),
        r"(?:^|/)(?:install\w*|getting[_-]started|quickstart|setup|安装\w*)\.(?:md|rst|txt)$",
    ),
    (
        either(r"ci continuous_integration workflow github_actions", "流水线 持续集成"),
        r"(?:^|/)(?:\.github/|\.gitlab-ci|jenkinsfile|ci\.ya?ml|\.circleci|azure-pipelines)",
    ),
    (
        either(r"build_(?:steps?|targets?|rules?) make_targets? compiled_with compiler_flags?", "构建目标 编译选项"),
        r"(?:^|/)(?:makefile|cmakelists\.txt|build\.gradle|justfile)$",
    ),
    (
        either(
            r"regions? infrastructure provision\w* cloud deployed_to replicas kubernetes helm",
            "区域 基础设施 集群配置 副本数",
        ),
        r"\.tf(?:vars)?$|(?:^|/)(?:k8s|kubernetes|helm|terraform|deploy\w*)/",
    ),
    (either(r"npm scripts? yarn run_with_npm", "npm"), r"(?:^|/)package\.json$"),
    (either(r"environment_variables? env_vars?", "环境变量"), r"(?:^|/)\.env(?:\.\w+)?$|(?:^|/)env\.\w+$"),
    (either(r"contribut\w+ submit_a_patch", "贡献"), r"(?:^|/)contributing(?:\.\w+)?$"),
    (
        either(
            r"log_?in logged_in sign_?in passwords? hash\w* authenticat\w+ sessions? tokens?",
            "登录 密码 鉴权 认证 令牌",
        ),
        r"(?:^|/)(?:\w*auth\w*|login|users?|accounts?|security|sessions?|登录\w*)\.(?!md|txt|log)\w+$",
    ),
    (
        either(
            r"ports? timeouts? settings? configur\w+ hosts? retr(?:y"
            r"|ies) listens? listening passwords? credentials? database_url database_connection pool_size log_level",
            "连接池 数据库地址 配置 端口 超时 参数设置 监听 密码 日志级别",
        ),
        _SETTINGS,
    ),
    (
        either(r"entry_?points? starts?_up start_the main_(?:function|program) command_line", "入口 启动程序 命令行"),
        r"(?:^|/)(?:main|index|app|__main__|cli)\.\w+$",
    ),
    (
        either(r"version", "版本"),
        r"(?:^|/)(?:pyproject\.toml|package\.json|cargo\.toml|version(?:\.\w+)?|setup\.py|setup\.cfg)$",
    ),
    (
        either(r"routes? routing endpoints? urls?", "接口 路由"),
        r"(?:^|/)(?:routes?|urls|api|endpoints?|router|views?|controllers?)\w*\.\w+$",
    ),
    (
        either(r"translat\w+_of i18n locali[sz]\w+ wording", "多语言 翻译文本"),
        r"(?:^|/)(?:locales?|i18n|lang|messages)(?:/|\.)",
    ),
    (
        either(
            r"what_(?:is|does)_(?:this|the)_(?:project|repo|repository|package|tool|app|program"
            r"|library) purpose overview"
            r" about_this_(?:project|repo|repository) title_of_the_project",
            "项目是做什么 项目是什么 项目介绍 简介 用途 做什么用",
        ),
        r"(?:^|/)(?:readme(?:\.\w+)*|说明|简介)(?:\.\w+)?$",
    ),
    (either(r"to.?dos? open_tasks?", "待办"), r"(?:^|/)(?:todo|待办)\w*(?:\.\w+)?$"),
)


def on_topic(question: str, names: Sequence[str]) -> list[str]:
    """Return the files that usually hold what `question` asks about; empty when no topic or no file fits."""
    for words, files in _TOPICS:
        if words.search(question):
            hits = [name for name in names if re.search(files, name.lower())]
            if hits:
                return hits
    return []
