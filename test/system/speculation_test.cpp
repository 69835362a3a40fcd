// SPDX-License-Identifier: Apache-2.0
// Tests speculative decoding. Guesses come from earlier text or from a draft model, and one pass
// verifies them.
#include "test/system/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

nlohmann::json results_of(const Workplace& place, const std::string& scenario,
                          const std::vector<std::string>& settings)
{
    place.write("s.yaml", scenario);
    std::vector<std::string> line{"run", "s.yaml", "--quiet", "--out", "out"};
    for (const std::string& setting : settings)
        line.insert(line.end(), {"--set", setting});
    const Outcome outcome = place.levee(line);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(place.read("out/results.json"));
}

std::string greedy(const std::string& scenario)
{
    return "extends: " LEVEE_SOURCE "/scenarios/" + scenario +
           ".yaml\nworkload:\n  prompts: null\n  sampling: greedy\n  temperature: null\n"
           "  stop_token: none\n  max_new_tokens: 40\n"
           "  prompt_ids: [[1, 25, 4, 9, 4, 20, 64, 159, 25]]\n";
}

/// Checks that speculation does not change the text and takes fewer passes.
void check_text(const std::string& scenario, std::vector<std::string> settings)
{
    const Workplace place;
    INFO(scenario);
    const nlohmann::json one_by_one = results_of(place, greedy(scenario), settings);
    for (const std::string guesses : {"{tokens: 4}", "{tokens: 3, match: 1}", "{tokens: 7}"}) {
        settings.push_back("workload.speculation=" + guesses);
        const nlohmann::json guessed = results_of(place, greedy(scenario), settings);
        settings.pop_back();
        INFO(guesses);
        CHECK(guessed.at("tokens") == one_by_one.at("tokens"));
        const nlohmann::json& metrics = guessed.at("metrics");
        const auto passes = metrics.at("speculation.passes").get<std::uint64_t>();
        const auto right = metrics.at("speculation.right").get<std::uint64_t>();
        CHECK(right > 5);
        CHECK(right <= metrics.at("speculation.guessed").get<std::uint64_t>());
        CHECK(passes + right == 39); // The prefill produces the first token.
    }
}

using Ids = std::vector<std::uint32_t>;

struct Guesses {
    std::uint64_t passes = 0, guessed = 0, right = 0;
};

/// Looks for the latest earlier occurrence of the last `match` of the first `count` tokens. Returns
/// the position after it, or `count` if there is none.
std::size_t place_of(const Ids& tokens, std::size_t count, std::size_t match)
{
    for (std::size_t place = count - 1; place >= match; --place)
        if (std::equal(tokens.begin() + long(place - match), tokens.begin() + long(place),
                       tokens.begin() + long(count - match)))
            return place;
    return count;
}

/// Returns the guesses for a text whose first `count` tokens are known.
Guesses guesses_of(const Ids& text, std::size_t count, std::size_t tokens, std::size_t match)
{
    Guesses all;
    for (; count < text.size(); ++count) {
        Ids known(text.begin(), text.begin() + long(count));
        const std::size_t place = place_of(known, count, match);
        const std::size_t guesses = place == count ? 0 : std::min(tokens, text.size() - count - 1);
        for (std::size_t i = 0; i < guesses; ++i)
            known.push_back(known[place + i]);
        ++all.passes;
        all.guessed += guesses;
        for (; count + 1 < text.size() && count < known.size() && known[count] == text[count];
             ++count)
            ++all.right;
    }
    return all;
}

void check_refused(const std::vector<std::string>& settings, const std::string& message)
{
    const Workplace place;
    place.write("s.yaml", greedy("kelle/demo"));
    std::vector<std::string> line{"run", "s.yaml", "--quiet", "--out", "out"};
    for (const std::string& setting : settings)
        line.insert(line.end(), {"--set", setting});
    const Outcome outcome = place.levee(line);
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Catch::Contains(message));
}

} // namespace

TEST_CASE("guesses do not change the text, on every machine")
{
    check_text("demo", {});
    check_text("kelle/demo", {"kv_cache.policy=full", "kv_cache.recompute=off"});
    check_text("kelle/demo", {"kv_cache.policy=full", "kv_cache.recompute=off",
                              "system.memories.act_edram.size=32 KiB"}); // This gives tiles of 32
                                                                         // keys.
    check_text("cambricon/demo", {});
    check_text("veda/demo", {"kv_cache.policy=full"});
    check_text("pim/titanus_demo", {});
}

namespace {

const std::string embedded = LEVEE_SOURCE "/models/embedded/stories.levee";

std::string draft(const std::string& image, unsigned tokens)
{
    return "workload.speculation={draft: {image: " + image +
           "}, tokens: " + std::to_string(tokens) + "}";
}

/// Imports an untrained draft model of one layer.
std::string import_draft(const Workplace& place, const std::string& vocab = "256",
                         const std::string& context = "512")
{
    const std::string file = "draft" + vocab + "_" + context + ".levee";
    REQUIRE(place
                .levee({"import", "synthetic", "--dim", "32", "--hidden", "64", "--layers", "1",
                        "--heads", "2", "--vocab", vocab, "--context", context, "-o", file})
                .code == 0);
    return file;
}

/// Checks that a draft model does not change the text. One draft is the model itself; another
/// guesses at random. `alike` means that draft and model compute in the same way. Then all guesses
/// of the first draft are right.
void check_drafts(const std::string& scenario, std::vector<std::string> settings, bool alike = true)
{
    const Workplace place;
    INFO(scenario);
    const nlohmann::json one_by_one = results_of(place, greedy(scenario), settings);
    const auto metrics_of = [&](const std::string& image, unsigned tokens) {
        settings.push_back(draft(image, tokens));
        const nlohmann::json guessed = results_of(place, greedy(scenario), settings);
        settings.pop_back();
        CHECK(guessed.at("tokens") == one_by_one.at("tokens"));
        CHECK(guessed.at("text") == one_by_one.at("text"));
        const nlohmann::json& metrics = guessed.at("metrics");
        CHECK(metrics.at("speculation.passes").get<std::uint64_t>() +
                  metrics.at("speculation.right").get<std::uint64_t>() ==
              39); // The prefill produces the first token.
        return metrics;
    };
    for (const unsigned tokens : {1U, 4U}) {
        const nlohmann::json same = metrics_of(embedded, tokens);
        CHECK(same.at("speculation.acceptance") > 0.8);
        if (!alike)
            continue;
        CHECK(same.at("speculation.acceptance") == 1.0);
        CHECK(same.at("speculation.passes") == (39 + tokens) / (tokens + 1));
    }
    const nlohmann::json other = metrics_of(import_draft(place), 3);
    CHECK(other.at("speculation.acceptance") < 0.5);
    CHECK(other.at("speculation.draft_s") > other.at("speculation.draft_prompt_s"));
}

} // namespace

TEST_CASE("a draft model does not change the text, on every machine")
{
    check_drafts("demo", {});
    check_drafts("kelle/demo", {"kv_cache.policy=full", "kv_cache.recompute=off"});
    check_drafts("veda/demo", {"kv_cache.policy=full"});
    check_drafts("cambricon/demo", {}, false);
    check_drafts("pim/titanus_demo", {}, false);
    check_drafts("hybrids/crossbars_kelle", {"kv_cache=null"}, false);
    check_drafts("hybrids/flash_veda", {"kv_cache=null"}, false);
}

TEST_CASE("a draft model follows several prompts, and a conversation's turns")
{
    const Workplace place;
    const std::string turns =
        "workload.turns=[{prompt_ids: [1, 25, 4], max_new_tokens: 20}, {prompt_ids: [64, 159], "
        "max_new_tokens: 20}]";
    const std::string prompts = "workload.prompts=[Once upon a time, The dog was]";
    for (const std::string& source : {turns, prompts})
        for (const std::string& image : {embedded, import_draft(place)}) {
            std::vector<std::string> settings{source, "workload.prompt_ids=null",
                                              "workload.max_new_tokens=20"};
            const nlohmann::json one_by_one = results_of(place, greedy("demo"), settings);
            settings.push_back(draft(image, 4));
            const nlohmann::json guessed = results_of(place, greedy("demo"), settings);
            CHECK(guessed.at("tokens") == one_by_one.at("tokens"));
            CHECK(guessed.at("text") == one_by_one.at("text"));
            if (image == embedded)
                CHECK(guessed.at("metrics").at("speculation.acceptance") == 1.0);
        }
}

TEST_CASE("a draft model's time and energy are a share of decoding")
{
    const Workplace place;
    const nlohmann::json metrics =
        results_of(place, greedy("kelle/demo"),
                   {"kv_cache.policy=full", "kv_cache.recompute=off", draft(embedded, 4)})
            .at("metrics");
    const double share = metrics.at("speculation.draft_time_share").get<double>();
    CHECK(share == Approx(metrics.at("speculation.draft_s").get<double>() /
                          metrics.at("decode.seconds").get<double>()));
    CHECK(share > 0.5); // Four steps of the draft come before each pass of five tokens.
    CHECK(share < 1);
    const double energy = metrics.at("speculation.draft_energy_share").get<double>();
    CHECK(energy == Approx(metrics.at("speculation.draft_j").get<double>() /
                           metrics.at("energy.phase.decode_j").get<double>()));
    CHECK(energy > 0.3);
    CHECK(energy < 1);
}

TEST_CASE("draft models that do not fit the model are refused at their place")
{
    const Workplace place;
    const auto refuses = [&](const std::string& setting, const std::string& message) {
        place.write("s.yaml", greedy("demo"));
        const Outcome outcome =
            place.levee({"run", "s.yaml", "--quiet", "--out", "out", "--set", setting});
        CHECK(outcome.code != 0);
        CHECK_THAT(outcome.text, Catch::Contains(message));
    };
    refuses(draft(import_draft(place, "300"), 4), "'workload.speculation.draft' has a vocabulary "
                                                  "of 300 tokens, but the model has one of 256");
    refuses(draft(import_draft(place, "256", "32"), 4),
            "'workload.speculation.draft' supports at most 32 tokens");
    refuses("workload.speculation={draft: {image: " + embedded + "}, match: 3}",
            "'workload.speculation.match' applies to prompt lookup");
    refuses("workload.speculation={draft: {}}",
            "'workload.speculation.draft' lacks the key 'image'");
    place.write("bad.levee", "no image");
    refuses("workload.speculation={draft: {image: bad.levee}}",
            "'workload.speculation.draft': bad.levee: file: 8 bytes");
}

TEST_CASE("a draft model's shape with keys from a file is refused where the scenario names it")
{
    const Workplace place;
    const auto refuses = [&](const std::string& draft, const std::string& message) {
        place.write("s.yaml",
                    "extends: " LEVEE_SOURCE "/scenarios/hybrids/llama2_7b.yaml\n"
                    "model: {shape: {extends: models/llama2-7b.yaml, layers: 1}}\n"
                    "sampling: off\nkv_cache: {policy: full}\n"
                    "workload:\n  prompt_tokens: 40\n  context: 128\n  max_new_tokens: 8\n"
                    "  speculation:\n    acceptance: 0.5\n    draft:\n" +
                        draft);
        const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains(message));
    };
    refuses("      shape:\n        extends: models/llama2-7b.yaml\n        heads: 7\n",
            "s.yaml:13:9: 'workload.speculation.draft.shape.kv_heads': 32, expected 1 to 7 (the "
            "key is from ");
    refuses("      shape: {extends: models/llama2-7b.yaml, kv_heads: 33}\n",
            "s.yaml:12:57: 'workload.speculation.draft.shape.kv_heads': 33, expected 1 to 32\n");
    refuses("      shape: models/qwen2.5-0.5b.yaml\n",
            "s.yaml:12:7: 'workload.speculation.draft' has a vocabulary of 151936 tokens");
    refuses("      shape: {extends: models/llama2-7b.yaml, hidden: 1048576}\n",
            "s.yaml:12:14: the draft's ");
}

TEST_CASE("guesses are the tokens after the latest earlier occurrence")
{
    const Workplace place;
    Ids text{1, 25, 4, 9, 4, 20, 64, 159, 25};
    const std::size_t prompt = text.size();
    const Ids answer = results_of(place, greedy("demo"), {"workload.max_new_tokens=150"})
                           .at("tokens")
                           .at(0)
                           .get<Ids>();
    text.insert(text.end(), answer.begin(), answer.end());
    for (const std::size_t match : {1, 2, 4}) {
        for (const std::size_t tokens : {1, 5}) {
            const nlohmann::json metrics =
                results_of(place, greedy("demo"),
                           {"workload.max_new_tokens=150",
                            "workload.speculation={tokens: " + std::to_string(tokens) +
                                ", match: " + std::to_string(match) + "}"})
                    .at("metrics");
            const Guesses expected = guesses_of(text, prompt + 1, tokens, match);
            CHECK(metrics.at("speculation.passes") == expected.passes);
            CHECK(metrics.at("speculation.guessed") == expected.guessed);
            CHECK(metrics.at("speculation.right") == expected.right);
        }
    }
}

TEST_CASE("a step without a guess takes hardly longer than without speculation")
{
    const Workplace place;
    const auto seconds = [&](const std::vector<std::string>& settings) {
        const nlohmann::json metrics = results_of(place, greedy("demo"), settings).at("metrics");
        CHECK(metrics.value("speculation.guessed", 0) == 0);
        return metrics.at("decode.seconds").get<double>();
    };
    CHECK(seconds({"workload.speculation={match: 16}"}) < 1.1 * seconds({}));
}

TEST_CASE("a text may end in the middle of right guesses")
{
    const Workplace place;
    const nlohmann::json whole = results_of(place, greedy("demo"), {}).at("tokens").at(0);
    for (const std::size_t at : {std::size_t{18}, std::size_t{23}, std::size_t{30}}) {
        const std::string stop = "workload.stop_token=" + whole.at(at).dump();
        const nlohmann::json one_by_one = results_of(place, greedy("demo"), {stop});
        const nlohmann::json guessed =
            results_of(place, greedy("demo"), {stop, "workload.speculation={tokens: 7}"});
        CHECK(guessed.at("tokens") == one_by_one.at("tokens"));
        CHECK(guessed.at("tokens").at(0).size() <= at + 1);
    }
}

TEST_CASE("guesses continue from turn to turn of a conversation")
{
    const Workplace place;
    const std::string turns =
        "workload.turns=[{prompt_ids: [1, 25, 4], max_new_tokens: 20}, {prompt_ids: [64, 159], "
        "max_new_tokens: 20}]";
    const std::vector<std::string> settings{turns, "workload.prompt_ids=null"};
    const nlohmann::json one_by_one = results_of(place, greedy("demo"), settings);
    const nlohmann::json guessed = results_of(
        place, greedy("demo"), {turns, "workload.prompt_ids=null", "workload.speculation={}"});
    CHECK(guessed.at("tokens") == one_by_one.at("tokens"));
    CHECK(guessed.at("metrics").at("speculation.right") > 0);
}

TEST_CASE("guesses do not change a conversation's answers of one token")
{
    const Workplace place;
    const std::string turns =
        "workload.turns=[{prompt_ids: [1, 25, 4], max_new_tokens: 1}, {prompt_ids: [64, 159], "
        "max_new_tokens: 12}, {prompt_ids: [25, 4], max_new_tokens: 0}, {prompt_ids: [9], "
        "max_new_tokens: 12}]";
    std::vector<std::string> settings{turns, "workload.prompt_ids=null"};
    const nlohmann::json one_by_one = results_of(place, greedy("demo"), settings);
    settings.push_back("workload.speculation={}");
    const nlohmann::json guessed = results_of(place, greedy("demo"), settings);
    CHECK(guessed.at("tokens") == one_by_one.at("tokens"));
}

TEST_CASE("a text that ends with its first token has no guesses")
{
    const Workplace place;
    for (const std::string& end : {std::string("workload.max_new_tokens=1"), std::string()}) {
        std::vector<std::string> settings{end};
        if (end.empty())
            settings = {"workload.stop_token=" +
                        results_of(place, greedy("demo"), {}).at("tokens").at(0).at(0).dump()};
        settings.push_back("workload.speculation={}");
        const nlohmann::json results = results_of(place, greedy("demo"), settings);
        CHECK(results.at("tokens").at(0).size() == 1);
        CHECK(results.at("metrics").at("speculation.passes") == 0);
    }
}

TEST_CASE("several prompts print the same text with guesses")
{
    const Workplace place;
    const std::string prompts = "workload.prompts=[Once upon a time, The dog was]";
    std::vector<std::string> settings{prompts, "workload.prompt_ids=null",
                                      "workload.max_new_tokens=12"};
    const nlohmann::json one_by_one = results_of(place, greedy("demo"), settings);
    settings.push_back("workload.speculation={}");
    const nlohmann::json guessed = results_of(place, greedy("demo"), settings);
    CHECK(guessed.at("text") == one_by_one.at("text"));
}

TEST_CASE("timing-only runs draw at random which guesses are right")
{
    const Workplace place;
    for (const double share : {0.3, 0.9}) {
        const nlohmann::json metrics =
            results_of(
                place,
                "extends: " LEVEE_SOURCE "/scenarios/hybrids/llama2_7b.yaml\n"
                "model: {shape: {extends: models/llama2-7b.yaml, layers: 1, vocab: 64}}\n"
                "sampling: off\nkv_cache: {policy: full}\n"
                "workload: {prompt_tokens: 16, context: 420, max_new_tokens: 400}\n",
                {"workload.speculation={tokens: 4, acceptance: " + std::to_string(share) + "}"})
                .at("metrics");
        // Mean number of correct guesses, out of four, before the first wrong one.
        const double expected = share * (1 - std::pow(share, 4)) / (1 - share);
        const double right = metrics.at("speculation.right").get<double>() /
                             metrics.at("speculation.passes").get<double>();
        CHECK(right == Approx(expected).epsilon(0.1));
        CHECK(metrics.at("generate.tokens") == 400);
    }
}

TEST_CASE("a draft model of a timing-only run guesses right as often as stated")
{
    const Workplace place;
    const std::string shape = "{shape: {extends: models/llama2-7b.yaml, layers: 1, vocab: 64}}";
    const auto metrics_of = [&](const std::string& draft) {
        return results_of(place,
                          "extends: " LEVEE_SOURCE "/scenarios/hybrids/llama2_7b.yaml\n"
                          "model: " +
                              shape +
                              "\nsampling: off\nkv_cache: {policy: full}\n"
                              "workload: {prompt_tokens: 16, context: 120, max_new_tokens: 100}\n",
                          {"workload.speculation={tokens: 4, acceptance: 0.8" + draft + "}"})
            .at("metrics");
    };
    const nlohmann::json drawn = metrics_of(""), drafted = metrics_of(", draft: " + shape);
    for (const char* const count :
         {"speculation.passes", "speculation.guessed", "speculation.right", "generate.tokens"})
        CHECK(drafted.at(count) == drawn.at(count));
    // The draft's time is the time of its guesses.
    CHECK(drafted.at("decode.seconds").get<double>() -
              drafted.at("speculation.draft_s").get<double>() ==
          Approx(drawn.at("decode.seconds").get<double>()).epsilon(0.02));
}

TEST_CASE("the model and its draft model may both be larger than the core's window")
{
    const Workplace place;
    const std::string large = "{shape: {extends: models/llama2-7b.yaml, layers: 8, vocab: 64}}";
    const std::string small = "{shape: {extends: models/llama2-7b.yaml, layers: 1, vocab: 64}}";
    for (const auto& [model, draft] :
         {std::pair{large, small}, std::pair{small, large}, std::pair{large, large}}) {
        INFO(model << " with " << draft);
        const nlohmann::json metrics =
            results_of(
                place,
                "extends: " LEVEE_SOURCE "/scenarios/hybrids/llama2_7b.yaml\nmodel: " + model +
                    "\nsampling: off\nkv_cache: {policy: full}\n"
                    "workload: {prompt_tokens: 4, context: 40, max_new_tokens: 10}\n",
                {"workload.speculation={tokens: 4, acceptance: 0.8, draft: " + draft + "}"})
                .at("metrics");
        CHECK(metrics.at("generate.tokens") == 10);
    }
}

TEST_CASE("guesses that cannot be undone, compared or drawn are refused")
{
    check_refused({"workload.speculation={}"},
                  "'workload.speculation' is given with 'kv_cache.policy: aerp'; expected full");
    check_refused({"kv_cache.policy=full", "workload.speculation={acceptance: 0.5}"},
                  "is for timing-only runs");
    check_refused({"kv_cache.policy=full", "workload.speculation={}", "data=timing_only",
                   "decisions.statistics=tech/decisions/embedded.yaml"},
                  "has no 'acceptance'");
    check_refused({"workload.speculation={}", "workload.sampling=temperature"}, "expected greedy");
    check_refused({"workload.speculation={tokens: 64}"}, "'workload.speculation.tokens' is 64");
    const std::vector<std::string> full{"kv_cache.policy=full", "kv_cache.recompute=off"};
    const auto with = [&](std::vector<std::string> settings) {
        settings.insert(settings.begin(), full.begin(), full.end());
        return settings;
    };
    check_refused(with({"workload.speculation={tokens: 8}", "workload.prefill_chunk=8"}),
                  "'workload.speculation.tokens' is 8: a "
                  "pass takes the guesses and the token before them, 9 in all, and "
                  "'workload.prefill_chunk' is 8; expected at most 7 guesses, or a larger chunk");
    check_refused(with({"workload.speculation={}", "workload.prefill_chunk=3"}),
                  "'workload.speculation.tokens' is 4: a pass takes");
    check_refused(with({"workload.speculation={tokens: 30}", "workload.context=30",
                        "workload.prompt_ids=[[1]]", "workload.max_new_tokens=4"}),
                  "31 in all, and 'workload.context' is 30");
    check_refused({"workload.speculation={}", "workload.batch=2"}, "expected 1");
    const Workplace place;
    place.write("s.yaml", "extends: " LEVEE_SOURCE "/scenarios/pim/retrieval.yaml\n"
                          "workload: {app: generate, text_file: null, prompts: [Once], "
                          "max_new_tokens: 8, sampling: greedy, speculation: {}}\n");
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Catch::Contains("'workload.speculation' is given with "
                                             "'kv_cache.policy: retrieval'; expected full"));
}
