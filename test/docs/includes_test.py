#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks each rule of includes.py once, in a small separate tree, and expects includes.py to name
it."""
import subprocess
import sys
import tempfile
from pathlib import Path

CHECK = Path(__file__).with_name("includes.py")
TREE = {
    "core/CMakeLists.txt": "# In this order: units, config.\nadd_library(levee_config STATIC config/node.cpp)\n",
    "ip/CMakeLists.txt": "add_library(levee_components STATIC)\n",
    "ip/low/CMakeLists.txt": "add_library(levee_low STATIC module.cpp)\ntarget_link_libraries(levee_low PUBLIC levee_config)\n",
    "ip/high/CMakeLists.txt": "add_library(levee_high STATIC module.cpp)\ntarget_link_libraries(levee_high PUBLIC levee_low)\n",
    "platform/observe/CMakeLists.txt": "add_library(levee_observe STATIC watch.cpp)\n",
    "core/units/clock.hpp": "#pragma once\n",
    "core/config/node.hpp": '#include "core/units/clock.hpp"\nnamespace levee::config { class Node {}; class Reader; }\n',
    "ip/low/README.md": "# low\n",
    "ip/low/model.hpp": '#include "core/units/clock.hpp"\n',
    "ip/low/declaration.hpp": '{.type = "low"};\n',
    "ip/low/regs.h": "#pragma once\n",
    "ip/kept/declaration.hpp": '{.type = "kept"};\n',
    "ip/kept/README.md": "# kept\n",
    "ip/two_words/declaration.hpp": '{.type = "two_words"};\n',
    "ip/two_words/README.md": "# two_words\n",
    "ip/high/beats.hpp": "namespace levee::high {\nclass Beats {\n};\nclass Node;\n} // namespace levee::high\n",
    "ip/high/README.md": "# high\n\n* **Includes** `ip/low/model.hpp`.\n",
    "ip/high/module.cpp": '#include "ip/low/model.hpp"\n#include "core/config/node.hpp"\n',
    "firmware/policies/policies.c": '{.name = "kept"};\n',
    "firmware/hal/sync.c": '#include "core/abi/boot_info.h"\n#include "ip/low/regs.h"\n',
    "firmware/cache/tables.c": '#include "firmware/cache/tables.h"\n',
    "firmware/cache/tables.h": "void tables_put(int word);\n",
    "firmware/cache/weave.h": "void weave(void);\n",
    "firmware/cache/slots.c": '#include "firmware/cache/slots.h"\n#include "firmware/cache/tables.h"\n',
    "ip/sram/README.md": "# sram\n",
    "platform/CMakeLists.txt": "add_subdirectory(input)   # first\nadd_subdirectory(observe) # second\n",
    "platform/input/reader.hpp": '#include "core/config/node.hpp"\n#include "firmware/policies/policies.h"\n#include <map>\n'
    'const char* key = "kv_cache.low"; // low\nint kept, lowest, below, use_flash_attn;\n',
    "platform/observe/watch.cpp": '#include "platform/input/reader.hpp"\n#include "ip/sram/module.hpp"\nstruct Watch final : Base {\n};\n',
}
BROKEN = [  # File, text, expected message.
    ("core/units/clock.hpp", '#include "core/config/node.hpp"\n', 'includes "core/config/node.hpp", but core/units knows only'),
    ("core/config/node.hpp", '#include "ip/low/model.hpp"\n', "core/config knows only"),
    ("core/CMakeLists.txt", "# Their order: units, config.\n", "core/CMakeLists.txt: the order has"),
    ("core/flow/flow.hpp", "#pragma once\n", "the folders are config, flow, units"),
    ("platform/CMakeLists.txt", "add_subdirectory(input)\n", "platform/CMakeLists.txt: the order has input"),
    ("core/config/node.hpp", '#include "platform/input/reader.hpp"\n', "core/config knows only"),
    ("ip/low/component.cpp", '#include "platform/input/reader.hpp"\n', "ip/low/README.md names only"),
    ("ip/low/model.hpp", '#include "ip/high/model.hpp"\n', "ip/low/README.md names only"),
    ("ip/low/README.md", "* **Includes** `ip/high/module.hpp`.\n", "in a circle"),
    ("ip/new/module.cpp", "\n", "ip/new: has no README.md"),
    ("ip/high/module.cpp", '#include "ip/low/module.hpp"\n', "ip/high/README.md names only"),
    ("ip/high/README.md", "* **Includes** `ip/low`.\n", "ip/high/README.md names only"),
    ("ip/high/README.md", "* **Includes** `ip/low/model.hpp`, `ip/low/regs.h`.\n", "names ip/low/regs.h, which the block"),
    ("ip/bus/README.md", "# bus\n", "lists ip/bus/module.hpp, which the platform does not include"),
    ("platform/input/reader.hpp", '#include "ip/sram/model.hpp"\n', "of ip, platform/input knows only"),
    ("ip/low/model.hpp", "#include <systemc>\n", "a reference"),
    ("firmware/cache/tables.h", '#include "firmware/cache/slots.h"\n', "firmware/cache: files include each other in a circle"),
    ("firmware/cache/added.c", '#include "firmware/cache/slots.h"\nvoid tables_put(int word)\n{\n}\n',
     "firmware/cache: files include each other in a circle"),
    ("firmware/cache/weave.c", # The file also has a header of its own.
     '#include "firmware/cache/slots.h"\nvoid weave(void)\n{\n}\nvoid tables_put(int word)\n{\n}\n',
     "firmware/cache: files include each other in a circle"),
    ("platform/input/reader.hpp", '#include "platform/observe/watch.hpp"\n', "platform/input comes before it"),
    ("platform/input/reader.hpp", '#include "ip/low/model.hpp"\n', "platform/input knows only"),
    ("platform/input/reader.hpp", '#include "../../ip/low/model.hpp"\n', "platform/input knows only"),
    ("platform/input/reader.hpp", "# include <ip/low/model.hpp>\n", "platform/input knows only"),
    ("core/units/clock.hpp", "#include <core/config/node.hpp>\n", "core/units knows only"),
    ("ip/low/component.cpp", '#include "../high/module.hpp"\n', "ip/low/README.md names only"),
    ("platform/input/reader.hpp", 'bool is = type == "low";\n', "names the component 'low'"),
    ("platform/input/reader.hpp", 'reader.has("system.blocks.low.rows");\n', "names the component 'low'"),
    ("platform/input/reader.hpp", '#include "firmware/target/part.h"\n', "platform/input knows only"),
    ("platform/input/reader.hpp", '#include "test/support/files.hpp"\n', "platform/input knows only"),
    ("firmware/hal/sync.c", '#include "platform/input/reader.hpp"\n', "firmware knows only"),
    ("firmware/hal/sync.c", '#include "core/config/node.hpp"\n', "firmware knows only"),
    ("firmware/hal/sync.c", '#include "ip/low/model.hpp"\n', "firmware knows only"),
    ("core/config/node.hpp", "int low_rows = 0;\n", "names the component 'low'"),
    ("core/config/node.hpp", "X(kept, W) X(LOW, W)\n", "names the component 'low'"),
    ("core/config/node.hpp", 'const char* kind = "kept";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", "class LowRows;\n", "names the component 'low'"),
    ("platform/input/reader.hpp", 'const char* hint = "needs LOWs";\n', "names the component 'low'"),
    ("platform/input/reader.hpp", 'const char* hint = "by two words";\n', "names the component 'two_words'"),
    ("platform/input/reader.hpp", '#  define FILE "ip/low/model.hpp"\n#include FILE\n', "includes FILE, which is no name of a file"),
    ("platform/input/reader.hpp", '#include /* of it */ "ip/low/model.hpp"\n', "platform/input knows only"),
    ("platform/input/reader.hpp", '#include \\\n  "ip/low/model.hpp"\n', "platform/input knows only"),
    ("platform/input/reader.hpp", '#include "platform/input/rows.def"\n', "are looked into"),
    ("platform/input/rows.def", '#include "ip/low/model.hpp"\n', "platform/input/rows.def: only .c"),
    ("platform/observe/page.html", "<b>low</b>\n", "names the component 'low'"),
    ("platform/input/reader.hpp", '#include_next "ip/low/model.hpp"\n', "platform/input knows only"),
    ("platform/input/reader.hpp", '%:include "./../../ip/low/model.hpp"\n', "platform/input knows only"),
    ("platform/input/reader.hpp", 'const char* at[] = {"http://a", "low"};\n', "names the component 'low'"),
    ("platform/input/reader.hpp", 'const char* at = R"x(low)x";\n', "names the component 'low'"),
    ("platform/input/reader.hpp", 'const char* at = R"(a " b)" "low";\n', "names the component 'low'"),
    ("platform/input/reader.hpp", 'const char* at = "kep"\n    "t";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", 'const char* at = "kep" /* and */ u8"t";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", 'const char* at = "kep" R"--(t)--";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", 'const char* at = "ke\\\npt";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", 'const char* at = "k\\x65pt";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", 'const char* at = "k\\145pt";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", 'const char* at = "k\\u0065pt";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", "const char at[] = {'k', 'e', 'p', 't'};\n", "names the component 'kept'"),
    ("platform/input/reader.hpp", 'auto at = std::string("kep") + "t";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", "#define ROWS lo##w\n", "names the component 'low'"),
    ("platform/observe/page.js", "const at = 'lo' + 'w';\n", "names the component 'low'"),
    ("platform/input/reader.hpp", "namespace levee::low { struct Rows; }\n", "names the component 'low'"),
    ("platform/observe/CMakeLists.txt", "target_link_libraries(levee_observe PRIVATE levee_low_model)\n", "names the component 'low'"),
    ("core/config/node.hpp", "namespace levee::low { struct Rows; }\n", "opens levee::low, but knows only"),
    ("ip/low/module.cpp", "namespace levee::observe { int watch(); }\n", "opens levee::observe, but knows only"),
    ("ip/low/module.cpp", "namespace levee { struct Watch; }\n", "declares Watch, which platform defines"),
    ("core/config/node.hpp", "class Beats;\n", "declares Beats, which ip defines"),
    ("core/config/node.hpp", '#include "core/units/../../platform/input/reader.hpp"\n', "core/config knows only"),
    ("ip/low/model.hpp", '#include "core/../ip/high/beats.hpp"\n', "ip/low/README.md names only"),
    ("platform/input/reader.hpp", '#include "platform/input/../../ip/low/model.hpp"\n', "platform/input knows only"),
    ("core/config/extra.cc", "int extra;\n", "core/config/extra.cc: only .c"),
    ("ip/low/extra.ipp", "int extra;\n", "ip/low/extra.ipp: only .c"),
    ("core/config/node.hpp", "namespace levee { namespace observe { int watch(); } }\n", "opens levee::observe"),
    ("ip/low/module.cpp", "namespace levee {\ninline namespace observe { int watch(); } }\n", "opens levee::observe"),
    ("ip/low/module.cpp", "namespace levee { enum class Watch : int; }\n", "declares Watch, which platform defines"),
    ("ip/low/module.cpp", "namespace levee { struct alignas(8) Watch; }\n", "declares Watch, which platform defines"),
    ("ip/low/module.cpp", "void see(struct Watch* watch);\n", "declares Watch, which platform defines"),
    ("platform/input/reader.hpp", 'std::string at = "kep"; at += "t";\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", 'auto at = std::string("kep").append("t");\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", 'auto at = "kep"s + "t"s;\n', "names the component 'kept'"),
    ("platform/input/reader.hpp", "const char at[] = {107, 101, 112, 116, 0};\n", "names the component 'kept'"),
    ("platform/input/reader.hpp", "int JOIN(lo, w) = 0;\n", "names the component 'low'"),
    ("platform/input/reader.hpp", "int JOIN(lo, JOIN(w, _rows)) = 0;\n", "names the component 'low'"),
    ("platform/input/reader.hpp", "auto at = TEXT(kept);\n", "names the component 'kept'"),
    ("platform/observe/rows.json", '{"low": 1}\n', "names the component 'low'"),
    ("core/CMakeLists.txt", TREE["core/CMakeLists.txt"] + "target_link_libraries(levee_config PUBLIC levee_observe)\n",
     "core/CMakeLists.txt: links levee_observe, but knows only core"),
    ("ip/low/CMakeLists.txt", "target_link_libraries(levee_low PUBLIC levee_high)\n", "ip/low/CMakeLists.txt: links levee_high"),
    ("ip/low/CMakeLists.txt", "target_link_libraries(levee_low PUBLIC levee::observe)\n", "links levee_observe"),
    ("ip/CMakeLists.txt", "target_link_libraries(levee_components PUBLIC levee_observe)\n", "ip/CMakeLists.txt: links levee_observe"),
    ("ip/low/CMakeLists.txt", "target_sources(levee_low PRIVATE ../high/module.cpp)\n", "names ../high/module.cpp"),
    ("ip/low/CMakeLists.txt", "add_library(levee_low ${ROOT}/platform/input/reader.cpp)\n", "names ${ROOT}/platform/input/reader.cpp"),
    ("ip/low/CMakeLists.txt", "target_compile_options(levee_low PRIVATE -include x.hpp)\n", "names -include"),
    ("platform/observe/CMakeLists.txt", "file(GLOB all ../../ip/*/model.cpp)\n", "names ../../ip/*/model.cpp"),
    ("platform/observe/page.js", "const lows = components.filter((one) => one.type === 'low');\n", "names the component 'low'"),
]


def check(changes):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**TREE, **changes}.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


code, text = check({})
assert code == 0, text
for name, content, said in BROKEN:
    code, text = check({name: content})
    assert code == 1 and said in text, f"{name} with {content!r}: expected {said!r}, got\n{text}"
