// SPDX-License-Identifier: Apache-2.0
// Tests `levee faults`: the effects of a flipped bit, and the contents of a campaign's folder.
#include "test/system/program.hpp"

#include <algorithm>
#include <csignal>
#include <fcntl.h>

using Catch::Matchers::Contains;
using levee::test::Outcome;
using levee::test::Workplace;

namespace {

/// Returns a campaign on a short run of a scenario.
std::string study(const std::string& sites, const std::string& number = "number: 1",
                  const std::string& scenario = "demo")
{
    return "scenario: " + scenario + ".yaml\nset: [workload.max_new_tokens=8]\nfaults:\n  " +
           number + "\n  sites:\n" + sites;
}

Outcome run(const Workplace& place, const std::string& text,
            const std::vector<std::string>& more = {})
{
    place.write("study.yaml", text);
    std::vector<std::string> words{"faults", "study.yaml", "--out", "out", "--jobs", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return place.levee(words);
}

nlohmann::json site_of(const Workplace& place, const std::string& name)
{
    const auto data = nlohmann::json::parse(place.read("out/faults.json"));
    for (const auto& site : data.at("sites"))
        if (site.at("name") == name)
            return site;
    return {};
}

nlohmann::json first_injection(const Workplace& place, const std::string& site)
{
    return site_of(place, site).at("injections").at(0);
}

std::vector<std::string> tables(const Workplace& place, const std::string& out)
{
    std::vector<std::string> texts;
    for (const char* const file :
         {"faults.csv", "sites.csv", "parts.csv", "faults.txt", "faults.json", "results.json"})
        texts.push_back(place.read(out + "/" + file));
    return texts;
}

const std::string drawn = R"(    weights: {tensor: wq, element: 8}
    queue: {descriptors: rsa}
    core: {register: core}
)";

} // namespace

TEST_CASE("a fault placed by hand has the effect that it must have")
{
    const Workplace place;
    const Outcome done = run(place, study(R"(    unused: {memory: dram, from: 1 MiB, to: 2 MiB}
    weight: {tensor: norm_final, element: 32, bits: [31], when: {at: [1 us]}}
    opcode: {descriptors: rsa, only: [opcode], bits: [6], when: {at: [300 us]}}
    interrupts: {register: core, only: [mie], bits: [11], when: {at: [300 us]}}
    pc: {register: core, only: [pc], bits: [30], when: {at: [300 us]}}
)"));
    REQUIRE(done.code == 0);
    CHECK(first_injection(place, "unused").at("effect") == "masked");
    const auto weight = first_injection(place, "weight");
    CHECK(weight.at("effect") == "text");
    CHECK(weight.at("changed") > 0);
    CHECK(weight.at("first") >= 0);
    const auto opcode = first_injection(place, "opcode");
    CHECK(opcode.at("effect") == "detected");
    CHECK_THAT(opcode.at("by"), Contains("rsa") && Contains("opcode"));
    CHECK(first_injection(place, "interrupts").at("effect") == "hung");
    CHECK(first_injection(place, "pc").at("effect") == "crashed");
    CHECK_THAT(place.read("out/faults.csv"), Contains("core.pc: 0x"));
    const nlohmann::json metrics = place.results("out").at("metrics");
    CHECK(metrics.at("faults.pc.crashed") == 1);
    CHECK(metrics.at("faults.pc.crashed.low") == Approx(1 / (1 + 1.959964 * 1.959964)));
    CHECK_THAT(place.read("out/report.html"), Contains("\"kind\":\"faults\""));
}

TEST_CASE("the halves of an eDRAM and its scores are fault sites of their own")
{
    const Workplace place;
    REQUIRE(run(place, study(R"(    scores: {state: kv_edram.scores}
    upper: {operand: rsa_kv.b, within: kv_edram.upper, element: 16}
)",
                             "number: 12", "kelle/demo"))
                .code == 0);
    // These bits of scores affect only refresh, so the text and the time are the same.
    const auto scores = site_of(place, "scores").at("effects");
    CHECK(scores.at("masked").at("count").get<int>() + scores.at("timing").at("count").get<int>() ==
          12);
    const auto upper = site_of(place, "upper");
    for (const auto& part : upper.at("parts"))
        CHECK(std::stoi(part.at("name").get<std::string>()) >= 8);
}

TEST_CASE("a campaign that was killed ends with the tables of an uninterrupted one")
{
    const Workplace place;
    const std::string text = study(drawn, "number: 10");
    REQUIRE(run(place, text).code == 0);
    const std::vector<std::string> whole = tables(place, "out");
    const pid_t child = ::fork();
    if (child == 0) {
        const int nothing = ::open("/dev/null", O_RDWR);
        ::dup2(nothing, STDOUT_FILENO);
        ::dup2(nothing, STDERR_FILENO);
        if (::chdir(place.path("").c_str()) == 0)
            ::execl(LEVEE_PROGRAM, LEVEE_PROGRAM, "faults", "study.yaml", "--out", "cut", nullptr);
        ::_exit(127);
    }
    const std::string journal = "cut/faults.journal";
    while (std::ranges::count(place.read(journal), '\n') < 5)
        ::usleep(1000);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE_FALSE(std::filesystem::exists(place.path("cut/faults.csv")));
    REQUIRE(place.levee({"faults", "study.yaml", "--out", "cut"}).code == 0);
    CHECK(tables(place, "cut") == whole);
    // Each run is recorded once, so runs from before the kill were not repeated.
    const std::string records = place.read(journal);
    REQUIRE(place.levee({"faults", "study.yaml", "--out", "cut"}).code == 0);
    CHECK(place.read(journal) == records);
}

TEST_CASE("shards together give the whole campaign, also with sequential stopping")
{
    const Workplace place;
    const std::string text = study(drawn, "until: {width: 0.6, batch: 4, most: 12}");
    REQUIRE(run(place, text).code == 0);
    const std::vector<std::string> whole = tables(place, "out");
    for (const char* const shard : {"1/2", "2/2"}) {
        const Outcome done =
            place.levee({"faults", "study.yaml", "--out", "shared", "--shard", shard});
        REQUIRE(done.code == 0);
        CHECK_THAT(done.text, Contains("is done; the campaign without --shard makes the tables"));
    }
    CHECK_FALSE(std::filesystem::exists(place.path("shared/faults.csv")));
    REQUIRE(place.levee({"faults", "study.yaml", "--out", "shared"}).code == 0);
    CHECK(tables(place, "shared") == whole);
    for (const char* const name : {"weights", "queue", "core"}) {
        const auto effects = site_of(place, name).at("effects");
        const int injections = effects.at("injections");
        CHECK(injections % 4 == 0);
        const bool narrow = std::ranges::all_of(effects.items(), [](const auto& effect) {
            return effect.key() == "injections" ||
                   effect.value().at("high").template get<double>() -
                           effect.value().at("low").template get<double>() <=
                       0.6;
        });
        CHECK((narrow || injections == 12));
    }
}

TEST_CASE("a campaign that cannot be used is refused at its place")
{
    const Workplace place;
    const auto refused = [&](const std::string& text, const std::string& why) {
        const Outcome done = run(place, text);
        CHECK(done.code == 2);
        CHECK_THAT(done.text, Contains(why));
    };
    refused(study("    a: {memory: dram, words: 3}\n"), "study.yaml:6:23: ");
    refused(study("    a: {signal: x}\n"),
            "expected one of the keys register, descriptors, memory");
    refused(study("    a: {memory: dram, register: core}\n"), "is a second place for this site");
    refused(study("    a: {memory: dram, bits: [8]}\n"), "an element has only 8 bits");
    refused(study("    a: {memory: dram, bits: [x]}\n"), "study.yaml:6:30: 'bits' has 'x'");
    refused(study("    a: {memory: dram, element: 24}\n"), "expected 8, 16, 32 or 64");
    refused(study("    a: {memory: dram, only: [x]}\n"), "cannot be used with 'memory'");
    refused(study("    a: {memory: dram, together: true}\n"), "needs 'bits'");
    refused(study("    a: {memory: dram, when: {at: [3]}}\n"), "study.yaml:6:35: ");
    refused(study("    a: {memory: dram, when: {at: []}}\n"), "study.yaml:6:34: ");
    refused(study("    a: {memory: dram, bits: []}\n"),
            "study.yaml:6:29: 'faults.sites.a.bits' is empty");
    refused(study("    a: {register: core, only: []}\n"), "only' is empty");
    refused(study("    a: {memory: dram, when: {token: 1, pass: 1}}\n"), "states the times twice");
    refused(study("    a: {memory: dram}\n", "seed: 1"), "neither of 'number' and 'until'");
    refused(study("    a: {memory: dram}\n", "number: 1\n  until: {width: 0.1}"),
            "both of 'number' and 'until'");
    refused(study("    a: {memory: dran}\n"), "did you mean 'dram'?");
    refused(study("    a: {descriptors: sync}\n"), "is not a place for faults of the kind");
    refused(study("    a: {variable: rows}\n"), "have this name; expected one of: rows@0x");
    refused(study("    a: {descriptors: rsa, only: [flags]}\n"),
            "2 have this name; expected one of: head.flags, operation.flags");
}

TEST_CASE("a dry run lists the sites of a campaign, checks study and scenario, and writes nothing")
{
    const Workplace place;
    place.write("dry.yaml", "scenario: demo\nfaults:\n  number: 3\n  sites:\n" + drawn);
    const Outcome done = place.levee({"faults", "dry.yaml", "--dry-run", "--out", "dry"});
    CHECK(done.code == 0);
    CHECK(done.text == "weights      tensor       wq\n"
                       "queue        descriptors  rsa\n"
                       "core         register     core\n"
                       "3 sites, 3 injections each\n");
    CHECK(!std::filesystem::exists(place.path("dry")));
    const Outcome refused =
        place.levee({"faults", "dry.yaml", "--dry-run", "--set", "system.core.clock=fast"});
    CHECK(refused.code == 2);
    CHECK(refused.text.find("'system.core.clock' is 'fast'") != std::string::npos);
}

TEST_CASE("a scenario that fails without a fault is refused, without a promise to continue")
{
    const Workplace place;
    const Outcome done =
        run(place, study("    core: {register: core}\n"), {"--set", "workload.context=2"});
    CHECK(done.code == 2);
    CHECK_THAT(done.text,
               Contains("the run without a fault fails: ") && !Contains("the same command"));
}

TEST_CASE("a wrong shard is refused as not being a part of the campaign")
{
    const Workplace place;
    const Outcome done = run(place, study("    core: {register: core}\n"), {"--shard", "0/2"});
    CHECK(done.code == 2);
    CHECK_THAT(done.text, Contains("'0/2' is not a part of a campaign"));
}

TEST_CASE("variables with a common name, and their fields, are reached by unambiguous names")
{
    const Workplace place;
    const std::string list =
        place.levee({"faults", "--sites", "demo", "--set", "workload.max_new_tokens=2"}).text;
    const auto at = list.find("rows@0x");
    REQUIRE(at != std::string::npos);
    const std::string variable = list.substr(at, list.find(' ', at) - at);
    REQUIRE(run(place, study("    one: {variable: " + variable + R"(}
    head: {descriptors: rsa, only: [head.flags]}
    operation: {descriptors: rsa, only: [operation.flags]}
)"))
                .code == 0);
    const auto head = site_of(place, "head"), operation = site_of(place, "operation");
    CHECK(head.at("bits") == 8);
    CHECK(operation.at("bits") == 8);
    CHECK(head.at("parts").at(0).at("name") == "head.flags");
    CHECK(operation.at("parts").at(0).at("name") == "operation.flags");
}

TEST_CASE("a matrix stored column by column between others has its own bits alone")
{
    const Workplace place;
    const Outcome list =
        place.levee({"faults", "--sites", "veda/demo", "--set", "workload.max_new_tokens=2"});
    REQUIRE(list.code == 0);
    const auto bits_of = [&](const std::string& tensor) {
        const std::size_t at = list.text.find("tensor       " + tensor + " ");
        REQUIRE(at != std::string::npos);
        return std::stoul(list.text.substr(at + 13 + tensor.size()));
    };
    CHECK(bits_of("wq.0") == 64 * 64 * 16);
    CHECK(bits_of("w_up.0") == 172 * 64 * 16);
    CHECK(bits_of("w_up.4") == 172 * 64 * 16);
    CHECK(bits_of("w_down.0") == 64 * 172 * 16);
    CHECK(bits_of("w_up") == 5 * 172 * 64 * 16);
}

TEST_CASE("the places of a scenario are listed with their bits")
{
    const Workplace place;
    const Outcome list =
        place.levee({"faults", "--sites", "demo", "--set", "workload.max_new_tokens=2"});
    REQUIRE(list.code == 0);
    CHECK_THAT(list.text, Contains("register     core") && Contains("x1, x2"));
    CHECK_THAT(list.text, Contains("descriptors  rsa") && Contains("opcode"));
    CHECK_THAT(list.text, Contains("tensor       wq.0") && Contains("operand      rsa.b"));
}
