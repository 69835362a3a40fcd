// SPDX-License-Identifier: Apache-2.0
// Runs a generation with the Verilated RTL of all VEDA blocks.
#include "test/reference/structured_shapes.hpp"
#include "test/system/veda_case.hpp"

#include <string>

using namespace levee;
using namespace levee::test;

namespace {

nlohmann::json run_with(const Workplace& place, const std::string& implementation)
{
    std::vector<std::string> words{"run", "veda/lockstep", "--out", implementation};
    for (const char* block : {"veda", "element_serial", "voting"}) {
        words.emplace_back("--set");
        words.push_back(std::string("system.blocks.") + block + ".impl=" + implementation);
    }
    const Outcome outcome = place.levee(words);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results(implementation);
}

/// Returns all figures except those of the host and of the designs.
nlohmann::json figures(const nlohmann::json& results)
{
    nlohmann::json kept;
    for (const auto& [name, value] : results.at("metrics").items())
        if (name.rfind("host.", 0) != 0 && name.find(".rtl.") == std::string::npos &&
            name.find(".lockstep.") == std::string::npos)
            kept[name] = value;
    return kept;
}

} // namespace

TEST_CASE(
    "arrays, element-serial unit and voting engine in RTL generate the model's tokens in its time")
{
    const Workplace place;
    const nlohmann::json model = run_with(place, "tlm");
    REQUIRE(model.at("metrics").at("voting.elected").get<std::uint64_t>() > 0);
    for (const char* implementation : {"rtl", "lockstep"}) {
        const nlohmann::json design = run_with(place, implementation);
        INFO(implementation);
        CHECK(design.at("tokens") == model.at("tokens"));
        CHECK(figures(design) == figures(model));
        for (const char* block : {"veda", "element_serial", "voting"})
            CHECK(design.at("metrics").at(block + std::string(".rtl.cycles")) > 0);
    }
}

TEST_CASE("a Verilated voting engine casts the model's votes within windows, in the model's time")
{
    VedaCase which;
    which.shape = plain_shape();
    which.shape->max_context = 128;
    which.shape->window = 26;
    which.shape->layer_flags = {LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL, 0};
    which.prompts = {drawn_ids(6, 45)};
    which.rule = rule_of(LEVEE_KV_VOTING, 24);
    which.rule.reach = {26, 0, 26, 0};
    which.more = ", prefill_chunk: 16";
    nlohmann::json expected;
    for (const char* implementation : {"tlm", "rtl", "lockstep"}) {
        INFO(implementation);
        which.system = std::string("{extends: systems/veda.yaml, blocks: {voting: {impl: ") +
                       implementation + "}}}";
        const nlohmann::json seen = figures({{"metrics", check_bits(which)}});
        CHECK(seen.at("voting.elected") > 0);
        CHECK((expected.is_null() || seen == expected));
        expected = seen;
    }
}
