// SPDX-License-Identifier: Apache-2.0
// Tests which command lines are refused, and with which messages.
#include "test/system/program.hpp"

#include <algorithm>
#include <filesystem>

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

/// Requires exit code 2 and returns the output.
std::string refused(const Workplace& place, const std::vector<std::string>& arguments)
{
    const Outcome outcome = place.levee(arguments);
    CHECK(outcome.code == 2);
    return outcome.text;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

const std::string small_system = "system:\n"
                                 "  extends: systems/core.yaml\n";

} // namespace

TEST_CASE("help and version are printed, however they are requested")
{
    const Workplace place;
    const std::string version = place.levee({"--version"}).text;
    CHECK(version.starts_with("levee " LEVEE_VERSION
                              "\nformats: descriptors V1 and V2, results 1, model_image "));
    CHECK(contains(version, "\nbuilt with: SystemC 2."));
    CHECK(contains(version, "\nplug-ins: headers "));
    CHECK(place.levee({"help"}).text == place.levee({"--help"}).text);
    CHECK(place.levee({"help", "run"}).text == place.levee({"run", "--help"}).text);
    CHECK(contains(refused(place, {"help", "nothing"}), "nothing"));
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                      {"run", "--help"},
                                                      {"describe", "--help"},
                                                      {"import", "--help"},
                                                      {"import", "llama2c", "--help"},
                                                      {"import", "synthetic", "--help"}}) {
        const Outcome outcome = place.levee(arguments);
        CHECK(outcome.code == 0);
        CHECK(contains(outcome.text, "Usage:"));
    }
}

TEST_CASE("a shell completes an option's values as the help lists them")
{
    const Workplace place;
    struct Case {
        const char *words, *word, *before, *completed;
    };
    const Case cases[] = {
        {"levee run x --trace ''", "", "--trace", "instr bus timeline signals"},
        {"levee run x --waves-format v", "v", "--waves-format", "vcd"},
        {"levee import gguf x --weights int", "int", "--weights", "int3 int4 int8"},
        {"levee import config x --weights int4", "int4", "--weights", "int4"},
        {"levee completion z", "z", "completion", "zsh"},
        {"levee import ll", "ll", "import", "llama2c"}};
    const std::string script = levee::test::quote(LEVEE_PROGRAM) + " completion ";
    for (const Case& each : cases) {
        const std::string call =
            std::string(" _levee levee '") + each.word + "' '" + each.before + "'";
        const std::string words = std::string("\nCOMP_WORDS=(") + each.words +
                                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n";
        place.write("try.bash",
                    ". <(" + script + "bash)" + words + call + "\necho ${COMPREPLY[@]}\n");
        CHECK(place.shell("bash try.bash").text == each.completed + std::string("\n"));
        place.write("try.zsh", ". <(" + script + "zsh)" + words + "emulate sh -c \"" + call +
                                   "\"\nprint -r -- ${(M)COMPREPLY:#" + each.word +
                                   "*}\n"); // zsh itself selects the entries that match the word.
        if (place.shell("command -v zsh").code == 0)
            CHECK(place.shell("zsh -f try.zsh").text == each.completed + std::string("\n"));
    }
    const std::string bash = place.shell(script + "bash").text,
                      zsh = place.shell(script + "zsh").text;
    CHECK(zsh.find("bashcompinit\n_levee()\n") != std::string::npos);
    CHECK(zsh.substr(zsh.find("_levee()")) == bash.substr(bash.find("_levee()")));
}

TEST_CASE("bad usage ends with exit code 2 and states what was expected")
{
    const Workplace place;
    CHECK(refused(place, {}).starts_with("'levee' lacks a subcommand; expected one of: run, "));
    CHECK(refused(place, {"rnu"}) == "unknown command 'rnu'; did you mean 'run'?\n");
}

TEST_CASE("a bad command line is refused in one line that states what was expected")
{
    struct Case {
        std::vector<std::string> words;
        const char* said;
    };
    const Case cases[] = {
        {{"run", "hello", "--tracee", "bus"},
         "'levee run' has no option '--tracee'; did you mean '--trace'?"},
        {{"run", "hello", "--xyzzy=3"},
         "'levee run' has no option '--xyzzy'; 'levee run --help' has all options"},
        {{"run", "hello", "world"},
         "'levee run' has no place for the argument 'world'; 'levee run --help' has all options"},
        {{"run", "hello", "--seed", "x"}, "--seed: the value is 'x'; expected 0 to 4294967295"},
        {{"run", "hello", "--seed"}, "--seed: its value is missing; expected 0 to 4294967295"},
        {{"run", "--app", "hello", "--elf", "x"},
         "--elf cannot be used with --app; expected one of the two"},
        {{"run", "hello", "--waves-format", "fts"},
         "--waves-format: the value is 'fts'; did you mean 'fst'?"},
        {{"run", "hello", "--waves-format", "x"},
         "--waves-format: the value is 'x'; expected one of: fst, vcd"},
        {{"sweep", "s", "--jobs", "many"}, "--jobs: the value is 'many'; expected "},
        {{"sweep"}, "'levee sweep' lacks STUDY; 'levee sweep --help' has all options"},
        {{"run", "hello", "--no-report=maybe"}, "--no-report: the value is 'maybe'; expected none"},
        {{"run", "hello", "--out"}, "--out: its value is missing; expected DIR"},
        {{"sweep", "s", "--resume", "--no-resume"},
         "--resume cannot be used with --no-resume; expected one"},
        {{"import"}, "'levee import' lacks a subcommand; expected one of: "},
        {{"import", "synthetc"},
         "'levee import' has no subcommand 'synthetc'; did you mean 'synthetic'?"},
        {{"import", "--nope"}, "'levee import' has no option '--nope'"},
        {{"sweep", "s", "--executor", "x {shard}", "--tasks", "1"},
         "--tasks: the value is '1'; expected 2 to 10000"},
        {{"explore", "s", "--executor", "x {shard}", "--tasks", "1"},
         "--tasks: the value is '1'; expected 2 to 10000"},
        {{"run", "a", "--gdb", "0", "--gdb-wait"},
         "--gdb-wait: its value is missing; expected one of: yes, no"},
        {{"import", "config", "a", "-o", "b", "--weights"},
         "--weights: its value is missing; expected one of: int3, int4, int8"},
        {{"import", "gguf", "x", "-o", "y", "--group", "x"},
         "--group: the value is 'x'; expected a whole number"},
        {{"--foo", "run", "a"}, "'levee' has no option '--foo'; 'levee --help' has all options"},
        {{"-x", "run", "a"}, "'levee' has no option '-x'; 'levee --help' has all options"},
        {{"import", "--foo", "llama2c", "x", "-o", "y"}, "'levee import' has no option '--foo'"},
        {{"run", "a", "--", "--foo"}, "'levee"},
        {{"debug", "/tmp/no-such-file.elf"},
         "FILE: there is no '/tmp/no-such-file.elf'; expected a path that exists"},
        {{"run", "hello", "--waves-format", "a\nb"},
         "--waves-format: the value is 'a\\nb'; expected one of: fst, vcd"},
        {{"run", "hello", "--gdb-wait", "yes"},
         "--gdb-wait has no effect without --gdb; expected both"},
        {{"run", "hello", "--gdb-once"}, "--gdb-once has no effect without --gdb; expected both"},
        {{"run", "hello", "--waves-format", std::string(60000, 'x')},
         "--waves-format: the value is 'xxx"},
        {{"run", "hello", "--trace"},
         "--trace: its value is missing; expected {instr,bus,timeline,signals}[@PART][:FILE]"},
        {{"debug", "/tmp"}, "FILE: '/tmp' is a folder; expected a file"},
    };
    const Workplace place;
    for (const Case& each : cases) {
        const std::string said = refused(place, each.words);
        INFO(said);
        CHECK(said.starts_with(each.said));
        CHECK(std::ranges::count(said, '\n') == 1);
    }
}

TEST_CASE("an ELF file in place of a scenario is refused with a hint to use --app")
{
    const Workplace place;
    place.write("own", "\177ELF");
    CHECK(refused(place, {"run", "own"}) ==
          "'own' is a program, not a scenario; expected a YAML file, or the command levee run "
          "--app own\n");
    CHECK(refused(place, {"describe", "own"}).starts_with("'own' is a program, not a scenario"));
    for (const char* command : {"sweep", "explore"})
        CHECK(refused(place, {command, "own"}).starts_with("'own' is a program, not a study"));
    place.write("text.elf", "name: x\n");
    CHECK(refused(place, {"run", "text.elf"}).find("program") == std::string::npos);
    CHECK(refused(place, {"run", "none.elf"}).starts_with("no scenario 'none.elf'"));
}

TEST_CASE("an unknown scenario is answered with the nearest name and the list of scenarios")
{
    const Workplace place;
    const std::string text = refused(place, {"run", "hallo"});
    CHECK(text.starts_with("no scenario 'hallo'"));
    CHECK(contains(text, "did you mean 'hello'?"));
    CHECK(contains(text, "core, demo, dram_standards, english, hello, hybrids/"));
    CHECK(contains(text, "kelle/demo, "));
    CHECK(contains(text, "recall, requests, selftest"));
    CHECK_FALSE(contains(text, "models/"));
}

TEST_CASE("an error in YAML is reported with file, line and column")
{
    const Workplace place;
    place.write("bad.yaml", "system: [\n");
    CHECK(refused(place, {"run", "bad.yaml"}).starts_with("bad.yaml:2:1: not valid YAML: "));
    place.write("unknown.yaml", small_system + "  colour: red\n");
    CHECK(refused(place, {"run", "unknown.yaml"}) ==
          "unknown.yaml:3:3: unknown key 'system.colour'; expected one of: name, core, bus, "
          "components, blocks, "
          "commands, streams, memories\n");
    place.write("unit.yaml", small_system + "  core: {clock: 1 s}\n");
    CHECK(refused(place, {"describe", "unit.yaml"})
              .starts_with("unit.yaml:3:17: 'system.core.clock' is '1 s', which has the unit 's'"));
    place.write("type.yaml", small_system + "  memories:\n    ram: {type: dran}\n");
    CHECK(refused(place, {"run", "type.yaml", "--elf", "x"}) ==
          "type.yaml:4:17: 'system.memories.ram.type' is 'dran'; did you mean 'dram'?\n");
}

TEST_CASE("a bad --set is quoted as it was typed")
{
    const Workplace place;
    CHECK(refused(place, {"run", "selftest", "--set", "system.blocks.rsa.rwos=8"}) ==
          "--set system.blocks.rsa.rwos=8: unknown key 'system.blocks.rsa.rwos'; did you mean "
          "'rows'?\n");
    CHECK(refused(place, {"run", "selftest", "--set", "system.blocks.ras.rows=8"}) ==
          "--set system.blocks.ras.rows=8: there is no 'system.blocks.ras'; did you mean 'rsa'?\n");
    CHECK(refused(place, {"run", "selftest", "--set", "system.blocks.rsa.rows=0"}) ==
          "--set system.blocks.rsa.rows=0: 'system.blocks.rsa.rows' is 0; expected at least 1\n");
}

TEST_CASE("a system whose parts do not fit together is refused")
{
    const Workplace place;
    place.write("two.yaml", "system:\n  extends: systems/original.yaml\n"
                            "  blocks:\n    other: {type: sync, counters: 4}\n");
    CHECK(contains(refused(place, {"describe", "two.yaml"}),
                   "'system.blocks' has 2 blocks of type 'sync'; expected one"));
    place.write("no_tcm.yaml",
                small_system + "  memories:\n    ram: {type: sram, latency: 1 ns}\n");
    CHECK(contains(refused(place, {"describe", "no_tcm.yaml"}),
                   "'system.memories' has no memory of type 'tcm'; expected one for the program"));
    place.write("big.yaml",
                small_system + "  memories:\n"
                               "    a: {type: sram, size: 512 MiB, bandwidth: 1 GB/s, latency: 0}\n"
                               "    b: {type: sram, size: 4 KiB, bandwidth: 1 GB/s, latency: 0}\n");
    CHECK(contains(refused(place, {"describe", "big.yaml"}),
                   "'system.memories.b' has 4 KiB; the address map has room for 0 B there"));
}

TEST_CASE("a second queue must name an array that has a queue of its own")
{
    const Workplace place;
    const auto shared = [&](const std::string& keys) {
        place.write("shared.yaml", "system:\n  extends: systems/original.yaml\n  blocks:\n"
                                   "    rsa_kv: {type: rsa, " +
                                       keys + "}\n    third: {type: rsa, shares: rsa}\n");
    };
    shared("shares: rsa");
    const Outcome outcome = place.levee({"describe", "shared.yaml"});
    CHECK(outcome.code == 0);
    CHECK(contains(outcome.text, "shares rsa"));
    for (const char* owner : {"rza", "sfu", "third", "rsa_kv"}) {
        shared(std::string("shares: ") + owner);
        CHECK(contains(refused(place, {"describe", "shared.yaml"}),
                       std::string("'system.blocks.rsa_kv.shares' names '") + owner + "'"));
    }
    shared("shares: rsa, rows: 8");
    CHECK(contains(refused(place, {"describe", "shared.yaml"}),
                   "unknown key 'system.blocks.rsa_kv.rows'"));
}

TEST_CASE("ideal timing is a key of the scenario, and programs give the same results")
{
    const Workplace place;
    CHECK(contains(refused(place, {"run", "selftest", "--set", "timing=idael"}),
                   "'timing' is 'idael'; did you mean 'ideal'?"));
    CHECK(place.levee({"run", "selftest", "--out", "real"}).code == 0);
    CHECK(place.levee({"run", "selftest", "--set", "timing=ideal", "--out", "ideal"}).code == 0);
}

TEST_CASE("a file that is not a program and a scenario without a program are refused")
{
    const Workplace place;
    CHECK(contains(refused(place, {"run", "core"}), "names no program; expected --elf FILE"));
    CHECK(contains(refused(place, {"run", "core", "--elf", "none.elf"}), "none.elf"));
    place.write("text.elf", "this is no program");
    CHECK(refused(place, {"run", "core", "--elf", "text.elf"}).starts_with("text.elf: "));
    CHECK(contains(refused(place, {"run", "hello", "--set", "workload.app=helo"}),
                   "did you mean 'hello'?"));
    CHECK(contains(refused(place, {"run", "core", "--set", "system.memories.ram.size=4 KiB",
                                   "--elf", std::string(LEVEE_ISA_DIR) + "/alu.elf"}),
                   "is not in a memory of this system; expected it in [0x80000000, 0x80001000)"));
}

TEST_CASE("a model that cannot be used is refused before anything runs")
{
    const Workplace place;
    place.write("cut.levee", "LVEM");
    CHECK(
        contains(refused(place, {"run", "demo", "--set", "model.image=cut.levee"}), "cut.levee: "));
    CHECK(contains(refused(place, {"run", "demo", "--set", "model.image=none.levee"}),
                   "--set model.image=none.levee: no file 'none.levee'"));
    CHECK(
        contains(refused(place, {"run", "demo", "--set", "system.memories.dram.roles=[kv, spill]"}),
                 "no memory has the role 'model'"));
    CHECK(contains(refused(place, {"run", "demo", "--set", "system.memories.dram.roles=[kv]",
                                   "--set", "system.memories.sram.roles=[model]", "--set",
                                   "system.memories.sram.size=64 KiB"}),
                   "'system.memories.sram' has 64 KiB; the model and its prompts need"));
    place.write("no_model.yaml", small_system + "workload: {app: generate, prompts: [x]}\n");
    CHECK(contains(refused(place, {"run", "no_model.yaml"}),
                   "no_model.yaml:3:36: 'workload:' has a text "
                   "but there is no model"));
}

TEST_CASE("work that the model cannot do is refused with the reason")
{
    const Workplace place;
    CHECK(contains(refused(place, {"run", "demo", "--set", "workload.prompts=[zyzzyva]"}),
                   "--set workload.prompts=[zyzzyva]: the text cannot be encoded: "));
    CHECK(contains(refused(place, {"run", "demo", "--set", "workload.prompts=[Once, zyzzyva]"}),
                   ": prompt 2 of 2 cannot be encoded: "));
    CHECK(contains(refused(place, {"run", "demo", "--set", "workload.context=100000"}),
                   "'workload.context' is 100000; expected at most the model's"));
    CHECK(contains(refused(place, {"run", "demo", "--set", "workload.max_new_tokens=100000"}),
                   "100000 are to be generated; they must fit into"));
    CHECK(contains(refused(place, {"run", "demo", "--set", "workload.stop_token=end"}),
                   "'workload.stop_token' is 'end'; expected none, eos, bos or a token id"));
}

TEST_CASE("an output folder that cannot be created is reported before the run")
{
    const Workplace place;
    place.write("taken", "");
    const std::string text = refused(place, {"run", "hello", "--out", "taken"});
    CHECK(text.starts_with("taken: cannot make the output folder: "));
    CHECK_FALSE(contains(text, "Hello"));
}

TEST_CASE("describe shows the resolved system")
{
    const Workplace place;
    const Outcome outcome = place.levee({"describe", "demo", "--set", "system.blocks.rsa.rows=16"});
    CHECK(outcome.code == 0);
    for (const char* part :
         {"system 'original'", "rows 16, columns 24", "standard LPDDR4-4000",
          "0x000080000000  0x0000800fffff  tcm", "0x000100000000  0x0004ffffffff  dram",
          "0x10040080  RO  ROWS", "0x10020100  RW  VALUE0 ... VALUE31, each 4 bytes", "   4  rsa",
          "model 'stories'", "WQ of layer 0"})
        CHECK(contains(outcome.text, part));
}

TEST_CASE("describe counts parameters, bytes of weights, and bytes of keys and values per token")
{
    const Workplace place;
    const auto described = [&](const std::string& shape, const std::string& more = "") {
        place.write("s.yaml",
                    "system: systems/original.yaml\ndata: timing_only\ndecisions: {statistics: "
                    "tech/decisions/embedded.yaml}\nmodel: {shape: models/" +
                        shape + ".yaml, max_context: 64}\n" + more +
                        "workload: {app: generate, prompt_tokens: 4, max_new_tokens: 2}\n");
        const Outcome outcome = place.levee({"describe", "s.yaml"});
        INFO(outcome.text);
        CHECK(outcome.code == 0);
        return outcome.text;
    };
    // By hand: 151936 rows of 1024 (tied). 28 layers have 4096 rows of 1024 for Q, K and V, 1024
    // rows of 2048, three matrices of 3072 by 1024, two gains of 1024 and two of 128. There is a
    // last gain. INT8 rows have an FP32 scale each; gains are FP32.
    const std::string qwen = described("qwen3-0.6b");
    CHECK(contains(qwen, "  596049920 parameters\n"));
    CHECK(contains(qwen, "  598230528 bytes of weights\n"));
    // 28 layers of 8 keys and 8 values of 128 elements.
    CHECK(contains(qwen,
                   "  114688 bytes of keys and values per token, at 16 bits, without scales\n"));
    CHECK(contains(described("qwen3-0.6b", "kv_cache: {policy: full, bits: 4}\n"),
                   "  28672 bytes of keys and values per token, at 4 bits"));
    // A token uses 8 of 64 experts, and reads one row of the embedding.
    const std::string olmoe = described("olmoe-1b-7b");
    CHECK(contains(olmoe, "  6919161856 parameters; a token uses 1282017280\n"));
    CHECK(contains(olmoe, " bytes of weights; a token reads 11"));
    CHECK(contains(described("gemma3-1b"), "; 22 of 26 layers keep the last 512 tokens\n"));
}

TEST_CASE("a key in the wrong map is refused with the place where it belongs")
{
    const Workplace place;
    CHECK(refused(place, {"run", "kelle/demo", "--set", "policy=AERP"}) ==
          "--set policy=AERP: unknown key 'policy'; did you mean 'kv_cache.policy'?\n");
    CHECK(contains(refused(place, {"run", "demo", "--set", "size=8MB"}),
                   "did you mean 'system.memories.tcm.size' or 'system.memories.sram.size'?"));
    CHECK(contains(refused(place, {"run", "demo", "--set", "system.bus.latency=100000 s"}),
                   "'system.bus.latency' is 100000 s; expected at most 1 s"));
}

TEST_CASE("null removes a key, so that another one may be set")
{
    const Workplace place;
    CHECK(contains(refused(place, {"run", "demo", "--set", "workload.sampling=greedy"}),
                   "'workload.temperature' has no effect"));
    CHECK(place
              .levee({"run", "demo", "--quiet", "--set", "workload.sampling=greedy", "--set",
                      "workload.temperature=null", "--set", "workload.max_new_tokens=2"})
              .code == 0);
}

TEST_CASE("a context longer than products allow is limited or refused")
{
    const Workplace place;
    const auto import = [&](const std::string& context) {
        return place.levee({"import", "synthetic", "--dim", "64", "--hidden", "64", "--layers", "1",
                            "--heads", "2", "--vocab", "64", "--context", context, "-o",
                            "m.levee"});
    };
    const auto run = [&](const std::string& more) {
        return place.levee(
            {"run", "demo", "--quiet", "--set", "model.image=m.levee", "--set",
             "workload={app: generate, prompt_ids: [[1, 2, 3]], max_new_tokens: 3" + more + "}"});
    };
    CHECK(contains(import("65536").text, "a run without eviction keeps at most 32768 tokens"));
    CHECK(run("").code == 0);
    CHECK(run(", context: 32768").code == 0);
    const Outcome longer = run(", context: 32769");
    CHECK(longer.code == 2);
    CHECK(contains(longer.text, "'workload.context' is 32769; a cache that keeps all "
                                "tokens is limited to 32768"));
}
