// SPDX-License-Identifier: Apache-2.0
// Tests conversations: several prompts and answers over one cache.
#include "test/system/energy_rows.hpp"
#include "test/system/program.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

using Ids = std::vector<std::uint32_t>;

struct Said {
    Ids prompt;
    std::size_t answer; ///< length of the answer in tokens
};

const std::vector<Said> conversation{{{1, 25, 4, 9, 4, 20}, 7}, {{64, 159, 25}, 5}, {{241, 25}, 6}};

std::string greedy(const std::string& scenario)
{
    return "extends: " LEVEE_SOURCE "/scenarios/" + scenario +
           ".yaml\nworkload:\n  prompts: null\n  sampling: greedy\n  temperature: null\n"
           "  stop_token: none\n";
}

std::string turns_of(const std::vector<Said>& all, const std::string& after)
{
    std::string text = "  turns:\n";
    for (const Said& said : all)
        text += "    - {prompt_ids: " + nlohmann::json(said.prompt).dump() +
                ", max_new_tokens: " + std::to_string(said.answer) + ", after: " + after + "}\n";
    return text;
}

nlohmann::json results_of(const Workplace& place, const std::string& scenario,
                          const std::vector<std::string>& settings = {})
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

/// Checks that each answer equals the model's answer to the whole conversation so far, given as one
/// prompt. `last_is_of_turns` means that the last setting is a key for conversations, which the
/// single prompt does not get.
void check_answers(const std::string& scenario, const std::vector<std::string>& settings,
                   bool last_is_of_turns = false)
{
    const Workplace place;
    INFO(scenario);
    const nlohmann::json answers =
        results_of(place, greedy(scenario) + turns_of(conversation, "50 us"), settings)
            .at("tokens");
    REQUIRE(answers.size() == conversation.size());
    std::vector<std::string> of_one_prompt = settings;
    if (last_is_of_turns)
        of_one_prompt.pop_back();
    Ids before;
    for (std::size_t i = 0; i < conversation.size(); ++i) {
        const Said& said = conversation[i];
        before.insert(before.end(), said.prompt.begin(), said.prompt.end());
        const nlohmann::json alone =
            results_of(place,
                       greedy(scenario) + "  prompt_ids: [" + nlohmann::json(before).dump() +
                           "]\n  max_new_tokens: " + std::to_string(said.answer) + "\n",
                       of_one_prompt);
        CHECK(answers.at(i) == alone.at("tokens").at(0));
        const Ids answer = answers.at(i);
        REQUIRE(answer.size() == said.answer);
        before.insert(before.end(), answer.begin(), answer.end());
    }
}

struct Row {
    std::uint64_t cached, prompt, answer;
    double arrives, first_token, seconds;
    std::uint64_t saved = 0;
    double save = 0, resume = 0;
};

std::vector<Row> rows_of(const Workplace& place)
{
    std::istringstream lines(place.read("out/turns.csv"));
    std::string line;
    std::getline(lines, line);
    const std::string first = "turn,cached_tokens,prompt_tokens,new_tokens,arrives_s,"
                              "first_token_s,seconds,decode_tokens_per_s,";
    const bool saves = line == first + "saved_tokens,save_s,resume_s,energy_j";
    CHECK((saves || line == first + "energy_j"));
    std::vector<Row> rows;
    while (std::getline(lines, line) && !line.starts_with("idle")) {
        std::istringstream cells(line + ",");
        std::vector<double> values;
        for (std::string cell; std::getline(cells, cell, ',');)
            values.push_back(cell.empty() ? std::nan("") : std::stod(cell));
        REQUIRE(values.size() == (saves ? 12 : 9));
        CHECK(values[0] == double(rows.size()));
        rows.push_back({std::uint64_t(values[1]), std::uint64_t(values[2]),
                        std::uint64_t(values[3]), values[4], values[5], values[6]});
        if (saves)
            rows.back() = {rows.back().cached,
                           rows.back().prompt,
                           rows.back().answer,
                           rows.back().arrives,
                           rows.back().first_token,
                           rows.back().seconds,
                           std::uint64_t(values[8]),
                           values[9],
                           values[10]};
    }
    return rows;
}

void check_refused(const std::string& workload, const std::string& message)
{
    const Workplace place;
    place.write("s.yaml", greedy("demo") + workload);
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    INFO(workload);
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Catch::Contains(message));
}

} // namespace

TEST_CASE("answers of a conversation equal those to its whole text, on every machine")
{
    check_answers("demo", {});
    check_answers("demo", {"workload.prefill_chunk=3"});
    check_answers("kelle/demo", {"kv_cache.policy=full", "kv_cache.recompute=off"});
    check_answers("kelle/demo", {"kv_cache.policy=full", "kv_cache.recompute=off",
                                 "system.memories.act_edram.size=32 KiB",
                                 "workload.prefill_chunk=7"}); // The prefill runs in tiles.
    check_answers("cambricon/demo", {});
    check_answers("veda/demo", {"kv_cache.policy=full"});
    check_answers("pim/titanus_demo", {});
}

TEST_CASE("answers are the same when tokens are evicted and later prompts go token by token")
{
    check_answers("kelle/demo", {});
}

TEST_CASE("turns arrive after their pauses, and the sums of their table agree")
{
    const Workplace place;
    const nlohmann::json results =
        results_of(place, greedy("demo") + turns_of(conversation, "2 ms"));
    const std::vector<Row> rows = rows_of(place);
    REQUIRE(rows.size() == 3);
    std::uint64_t cached = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].cached == cached);
        CHECK(rows[i].prompt == conversation[i].prompt.size());
        CHECK(rows[i].answer == conversation[i].answer);
        CHECK(rows[i].first_token < rows[i].seconds);
        cached += rows[i].prompt + rows[i].answer;
        const double before = i == 0 ? 0 : rows[i - 1].arrives + rows[i - 1].seconds;
        CHECK(rows[i].arrives - before == Approx(2e-3).margin(10e-6));
    }
    const nlohmann::json& metrics = results.at("metrics");
    CHECK(metrics.at("turns.count") == 3);
    CHECK(metrics.at("generate.tokens") == 18);
    double first_tokens = 0, answers = 0;
    for (const Row& row : rows) {
        first_tokens += row.first_token;
        answers += row.seconds - row.first_token;
    }
    CHECK(metrics.at("turns.first_token_s.mean").get<double>() == Approx(first_tokens / 3));
    CHECK(metrics.at("prefill.seconds").get<double>() == Approx(first_tokens));
    CHECK(metrics.at("decode.seconds").get<double>() == Approx(answers));
}

TEST_CASE("an eDRAM refreshes the conversation's tokens while the user thinks")
{
    const Workplace place;
    const auto rows = [&](const std::string& pause) {
        const nlohmann::json metrics =
            results_of(place,
                       greedy("kelle/demo") + turns_of({{{1, 25, 4, 9}, 4}, {{64, 159}, 4}}, pause),
                       {"kv_cache.policy=full", "kv_cache.recompute=off"})
                .at("metrics");
        return metrics.at("kv_edram.valid_row_seconds.high_msb").get<double>();
    };
    // In the second pause the cache holds tokens; in the first it is empty.
    const double longer = rows("20 ms") - rows("10 ms");
    CHECK(rows("30 ms") - rows("20 ms") == Approx(longer).epsilon(0.01));
    CHECK(longer > 0.01);
}

TEST_CASE("energies of turns and of pauses add up to the run's")
{
    const Workplace place;
    const auto pausing = [&](const std::string& pause) {
        const nlohmann::json results =
            results_of(place, greedy("kelle/demo") + turns_of(conversation, pause), {});
        check_energies(place, "turns.csv", conversation.size());
        return results.at("metrics").at("turns.idle_j").get<double>();
    };
    CHECK(pausing("20 ms") > 1.5 * pausing("2 ms"));
}

TEST_CASE("a released cache is prefilled again, and not refreshed in the meantime")
{
    const Workplace place;
    const std::vector<std::string> kelle{"kv_cache.policy=full", "kv_cache.recompute=off"};
    const auto results = [&](const std::string& forget_after) {
        std::vector<std::string> settings = kelle;
        settings.push_back("workload.forget_after=" + forget_after);
        return results_of(place, greedy("kelle/demo") + turns_of(conversation, "20 ms"), settings);
    };
    const nlohmann::json kept = results("20 ms");
    CHECK(rows_of(place)[1].cached == 13);
    const nlohmann::json given_up = results("5 ms");
    const std::vector<Row> rows = rows_of(place);
    CHECK(kept.at("metrics").at("turns.given_up") == 0);
    CHECK(given_up.at("metrics").at("turns.given_up") == 2);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].cached == 0);
        const double before = i == 0 ? 0 : rows[i - 1].arrives + rows[i - 1].seconds;
        // The cache is emptied while it waits.
        CHECK(rows[i].arrives - before == Approx(20e-3).margin(3e-6));
    }
    const auto valid = [](const nlohmann::json& run) {
        return run.at("metrics").at("kv_edram.valid_row_seconds.high_msb").get<double>();
    };
    // The rows are refreshed for 5 of 20 ms.
    CHECK(valid(given_up) / valid(kept) == Approx(0.25).epsilon(0.1));
    CHECK(given_up.at("metrics").at("prefill.seconds").get<double>() >
          kept.at("metrics").at("prefill.seconds").get<double>());
}

TEST_CASE("a pause that exceeds the limit by less than a tick of the core's clock keeps the cache")
{
    const Workplace place;
    const nlohmann::json results =
        results_of(place, greedy("demo") + turns_of(conversation, "100.05 us"),
                   {"workload.forget_after=100.01 us", "system.core.timebase=10 MHz"});
    CHECK(results.at("metrics").at("turns.given_up") == 0);
    CHECK(rows_of(place)[1].cached == 13);
}

TEST_CASE("answers after the release of a cache equal those to the whole text")
{
    check_answers("demo", {"workload.forget_after=0 s"}, true);
    check_answers("kelle/demo",
                  {"kv_cache.policy=full", "kv_cache.recompute=off", "workload.forget_after=10 us"},
                  true);
    check_answers("veda/demo", {"kv_cache.policy=full", "workload.forget_after=0 s"}, true);
    check_answers("cambricon/demo", {"workload.forget_after=0 s"}, true);
    check_answers("pim/titanus_demo", {"workload.forget_after=0 s"}, true);
}

TEST_CASE("a pause in which an eDRAM forgets gives a warning, unless the cache is released")
{
    const Workplace place;
    const std::vector<std::string> settings{
        "kv_cache.policy=full", "kv_cache.recompute=off",
        "system.memories.kv_edram.retention={extends: tech/edram/retention_65nm_105c.yaml}",
        "kv_cache.refresh={high_msb: 100 s, high_lsb: 100 s, low_msb: 100 s, low_lsb: 100 s}"};
    const auto warnings = [&](const std::string& more) {
        std::vector<std::string> all = settings;
        if (!more.empty())
            all.push_back(more);
        return results_of(place, greedy("kelle/demo") + turns_of({{{1, 25}, 4}, {{64}, 4}}, "5 s"),
                          all)
            .at("warnings")
            .dump();
    };
    CHECK_THAT(warnings(""), Catch::Contains("so never in a pause of 5 s: 55 % of its cells fail"));
    CHECK_THAT(warnings("workload.forget_after=1 ms"), !Catch::Contains("in a pause"));
}

TEST_CASE("turns of timing-only runs have lengths, and an answer may be empty")
{
    const Workplace place;
    const nlohmann::json results =
        results_of(place, "extends: " LEVEE_SOURCE "/scenarios/hybrids/llama2_7b.yaml\n"
                          "model: {shape: {extends: models/llama2-7b.yaml, layers: 1}}\n"
                          "sampling: off\nkv_cache: {policy: full}\n"
                          "workload:\n  prompt_tokens: null\n  prefill_chunk: 16\n  context: 128\n"
                          "  turns:\n    - {prompt_tokens: 40, max_new_tokens: 0}\n"
                          "    - {prompt_tokens: 20, max_new_tokens: 3, after: 1 ms}\n");
    const std::vector<Row> rows = rows_of(place);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].answer == 0);
    CHECK(std::isnan(rows[0].first_token));
    CHECK(rows[1].cached == 40);
    CHECK(rows[1].answer == 3);
    const nlohmann::json& metrics = results.at("metrics");
    CHECK(metrics.at("generate.tokens") == 3);
    CHECK(metrics.at("turns.first_token_s.mean").get<double>() == Approx(rows[1].first_token));
}

TEST_CASE("a turn that is cut has no end, and a turn without an answer has an empty list of tokens")
{
    const Workplace place;
    const std::string turns = greedy("demo") + turns_of({{{1, 25, 4, 9, 4, 20}, 30}}, "0 s");
    results_of(place, turns);
    const Row whole = rows_of(place).at(0);
    REQUIRE(whole.seconds > whole.first_token);
    place.write("s.yaml", turns);
    const auto cut_us = static_cast<long>(
        1e6 * (whole.arrives + (whole.first_token + whole.seconds) / 2)); // This time is in the
                                                                          // middle of the turn.
    place.levee({"run", "s.yaml", "--quiet", "--out", "out", "--max-sim-time",
                 std::to_string(cut_us) + " us"});
    const Row cut = rows_of(place).at(0);
    CHECK(cut.first_token == whole.first_token);
    CHECK(cut.answer > 1);
    CHECK(cut.answer < 30);
    CHECK(std::isnan(cut.seconds));
    const nlohmann::json results =
        results_of(place, greedy("demo") + turns_of({{{1, 25}, 2}, {{4}, 0}}, "0 s"));
    CHECK(results.at("tokens").size() == 2);
}

TEST_CASE("turns may fill the context to its last slot")
{
    const Workplace place;
    const nlohmann::json results =
        results_of(place, greedy("demo") + turns_of(conversation, "0 s") + "  context: 28\n");
    // The conversation has 29 tokens, the last of which is not fed back.
    CHECK(results.at("metrics").at("generate.tokens") == 18);
}

TEST_CASE("releasing a cache is refused if prompts do not go through prefill")
{
    const Workplace place;
    place.write("s.yaml", greedy("kelle/demo") + turns_of(conversation, "2 ms"));
    const Outcome outcome = place.levee(
        {"run", "s.yaml", "--quiet", "--out", "out", "--set", "workload.forget_after=1 ms"});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text,
               Catch::Contains(
                   "'workload.forget_after' is given with 'kv_cache.policy: aerp'; expected full"));
}

TEST_CASE("answers are the same if keys and values were saved in the pauses")
{
    const std::string dram = "workload.save={memory: dram}", sram = "workload.save={memory: sram}";
    check_answers("demo", {sram}, true);
    check_answers("kelle/demo", {"kv_cache.policy=full", "kv_cache.recompute=off", dram}, true);
    check_answers("kelle/demo",
                  {"kv_cache.policy=full", "kv_cache.recompute=off",
                   "system.memories.kv_edram.size=16 KiB", dram},
                  true); // Some keys and values are in the DRAM in any case.
    check_answers("kelle/demo",
                  {"kv_cache.policy=full", "kv_cache.recompute=off",
                   "system.memories.kv_edram.retention={extends: "
                   "tech/edram/retention_65nm_105c.yaml}",
                   dram},
                  true);
    check_answers("veda/demo",
                  {"kv_cache.policy=full", "system.memories.buffer.size=2 MiB",
                   "workload.save={memory: buffer}"},
                  true);
    const std::string flash = "workload.save={memory: flash}";
    // The keys and values are stored after the weights.
    check_answers("cambricon/demo", {flash}, true);
    check_answers("demo", {"system={extends: systems/flash.yaml}", flash}, true);
    check_answers("hybrids/flash_kelle", {"kv_cache.policy=full", flash}, true);
    check_answers("hybrids/flash_kelle",
                  {"kv_cache.policy=full", "workload.save={memory: lpddr5x}"}, true);
    check_answers("hybrids/flash_veda", {"kv_cache.policy=full", flash}, true);
    check_answers("hybrids/crossbars_kelle",
                  {"kv_cache.policy=full", "workload.save={memory: lpddr4}"}, true);
}

namespace {

/// Returns one layer of Llama2-7B on Kelle, with all keys and values in an eDRAM.
std::string saving(std::uint32_t prompt, const std::string& save)
{
    return "extends: " LEVEE_SOURCE "/scenarios/kelle/kelle_edram.yaml\n"
           "model: {shape: {extends: models/llama2-7b.yaml, layers: 1}}\n"
           "sampling: off\nkv_cache: {policy: full, recompute: off}\n"
           "workload:\n  app: generate\n  prompt_tokens: null\n  batch: 1\n  context: 240\n" +
           save + "  turns:\n    - {prompt_tokens: " + std::to_string(prompt) +
           ", max_new_tokens: 1}\n    - {prompt_tokens: 16, max_new_tokens: 2, after: 20 ms}\n";
}

} // namespace

TEST_CASE("saving and restoring take the bytes divided by the DRAM's bandwidth")
{
    const Workplace place;
    const auto run = [&](std::uint32_t tokens) {
        const nlohmann::json results =
            results_of(place, saving(tokens, "  save: {memory: dram}\n"));
        const nlohmann::json& metrics = results.at("metrics");
        // Keys and values have 32 heads of 128 elements, two bytes each, and each vector has a
        // scale.
        CHECK(metrics.at("turns.saved_bytes") == std::uint64_t{tokens} * 2 * 32 * (128 * 2 + 4));
        CHECK(metrics.at("turns.saved") == 1);
        const Row row = rows_of(place).at(1);
        CHECK(row.saved == tokens);
        CHECK(metrics.at("turns.save_s").get<double>() == row.save);
        CHECK(metrics.at("turns.resume_s").get<double>() == row.resume);
        CHECK(metrics.at("turns.save_j").get<double>() > 0);
        CHECK(metrics.at("turns.resume_j").get<double>() > 0);
        check_energies(place, "turns.csv", 2);
        return row;
    };
    // The DRAM delivers 63.4 GB/s (docs/hand_calculations.md). The core's work for a layer is the
    // same in both runs.
    const Row half = run(100), whole = run(200);
    const double seconds = 100 * 16640 / 63.4e9;
    CHECK(whole.save - half.save == Approx(seconds).epsilon(0.01));
    CHECK(whole.resume - half.resume == Approx(seconds).epsilon(0.01));
    CHECK(whole.save == Approx(2 * seconds).epsilon(0.06));
    CHECK(whole.resume == Approx(2 * seconds).epsilon(0.06));
}

TEST_CASE("a prompt that arrives during a save waits for its end")
{
    const Workplace place;
    const auto second = [&](const std::string& save) {
        results_of(place, saving(200, save));
        const std::vector<Row> rows = rows_of(place);
        CHECK(rows[1].arrives - rows[0].arrives - rows[0].seconds == Approx(20e-3).margin(0.5e-6));
        return rows[1];
    };
    const Row kept = second(""), saved = second("  save: {memory: dram, after: 19.99 ms}\n");
    // 10 us of the pause were left when the save ended.
    const double late = saved.save - 10e-6 + saved.resume;
    CHECK(saved.first_token - kept.first_token > late);
    CHECK(saved.first_token - kept.first_token < late + 15e-6); // The ring is filled again.
    CHECK(second("  save: {memory: dram, after: 20 ms}\n").saved == 0);
}

TEST_CASE("saving to a flash erases and programs pages, and restoring reads them")
{
    const Workplace place;
    const auto metrics_of = [&](const std::vector<std::string>& times) {
        place.write("s.yaml", greedy("demo") +
                                  "  turns: [{prompt_ids: [1], max_new_tokens: 30},\n"
                                  "    {prompt_ids: [4], max_new_tokens: 2, after: 1 s}]\n"
                                  "  save: {memory: flash}\n");
        std::vector<std::string> line{"run", "s.yaml", "--quiet", "--check", "all", "--out", "out"};
        line.insert(line.end(), {"--set", "system={extends: systems/flash.yaml}"});
        for (const std::string& time : times)
            line.insert(line.end(), {"--set", "system.memories.flash." + time});
        const Outcome outcome = place.levee(line);
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
        return nlohmann::json::parse(place.read("out/results.json")).at("metrics");
    };
    const nlohmann::json slow = metrics_of({});
    const nlohmann::json erased = metrics_of({"erase=2 ms"});
    const nlohmann::json programmed = metrics_of({"program=500 us"});
    const nlohmann::json read = metrics_of({"read=20 us"});
    const auto less = [&](const nlohmann::json& fast, const char* name) {
        return slow.at(name).get<double>() - fast.at(name).get<double>();
    };
    // 30 tokens of 1440 bytes take 3 pages of 16 KiB in three dies, which work at the same time.
    CHECK(slow.at("flash.programmed_pages") == 3);
    CHECK(slow.at("flash.worst_cycles") == 1);
    CHECK(less(erased, "turns.save_s") == Approx(1e-3).epsilon(1e-6));
    CHECK(less(programmed, "turns.save_s") == Approx(100e-6).epsilon(1e-6));
    CHECK(less(read, "turns.resume_s") == Approx(10e-6).epsilon(1e-6));
    CHECK(less(read, "turns.save_s") == Approx(0).margin(1e-12));
}

TEST_CASE("saved keys and values are not refreshed")
{
    const Workplace place;
    const auto valid = [&](const std::string& more) {
        return results_of(place, greedy("kelle/demo") + turns_of(conversation, "20 ms") + more,
                          {"kv_cache.policy=full", "kv_cache.recompute=off"})
            .at("metrics")
            .at("kv_edram.valid_row_seconds.high_msb")
            .get<double>();
    };
    CHECK(valid("  save: {memory: dram, after: 5 ms}\n") / valid("") ==
          Approx(0.25).epsilon(0.1)); // The rows are refreshed for 5 of 20 ms.
}

TEST_CASE("describe and a dry run of a sweep refuse the same saves as a run")
{
    const Workplace place;
    place.write("study.yaml",
                "scenario: s.yaml\naxes: {c: {key: system.core.clock, values: [1 GHz]}}"
                "\ncolumns: {t: sim.seconds}\n");
    const auto check = [&](const std::string& scenario, const std::string& save,
                           const std::string& message) {
        place.write("s.yaml", greedy(scenario) + "  turns: [{prompt_ids: [1]}]\n" + save);
        for (const std::vector<std::string>& line :
             {std::vector<std::string>{"run", "s.yaml", "--quiet", "--out", "out"},
              {"describe", "s.yaml"},
              {"sweep", "study.yaml", "--dry-run"}}) {
            const Outcome outcome = place.levee(line);
            INFO(line.front() << save);
            CHECK((outcome.code == 0) == message.empty());
            CHECK_THAT(outcome.text, Catch::Contains(message));
        }
    };
    check("demo", "  save: {memory: drum}\n",
          "s.yaml:8:18: 'workload.save.memory' is 'drum'; this system has no such memory; expected "
          "one of: sram");
    check("demo", "  save: {memory: dram}\n", "which already contains all keys and values");
    check("pim/retransformer", "  save: {memory: dram}\n",
          "'workload.save' is given, but attention by pipelined");
    check("demo", "  save: {memory: sram}\n", "");
}

TEST_CASE("keys and values are saved where possible, or the save is refused at its place")
{
    const std::string turns = "  turns: [{prompt_ids: [1]}]\n";
    check_refused("  prompt_ids: [[1]]\n  save: {memory: dram}\n", "is given without 'turns'");
    check_refused(turns + "  forget_after: 1 s\n  save: {memory: dram}\n",
                  "'forget_after', which discards what it saves; expected one of the two");
    check_refused(turns + "  save: {memory: drum}\n",
                  "'workload.save.memory' is 'drum'; this system has no such memory; "
                  "expected one of: sram");
    check_refused(turns + "  save: {memory: tcm}\n",
                  "'tcm', the core's own memory, to which no block can copy; expected one of: ");
    check_refused(turns + "  save: {after: 1 s}\n", "'workload.save' lacks the key 'memory'");
    const Workplace place;
    const auto refused = [&](const std::string& scenario, const std::vector<std::string>& settings,
                             const std::string& message) {
        place.write("s.yaml", greedy(scenario) + turns);
        std::vector<std::string> line{"run", "s.yaml", "--quiet", "--out", "out"};
        for (const std::string& setting : settings)
            line.insert(line.end(), {"--set", setting});
        const Outcome outcome = place.levee(line);
        CHECK(outcome.code != 0);
        CHECK_THAT(outcome.text, Catch::Contains(message));
    };
    refused("kelle/demo", {"workload.save={memory: dram}"},
            "'workload.save' is given with 'kv_cache.policy: aerp'; expected full");
    refused("kelle/demo",
            {"kv_cache.policy=full", "kv_cache.recompute=off", "workload.save={memory: act_edram}"},
            "'workload.save.memory' is 'act_edram', which "
            "is refreshed and would decay in the pause; expected one of: sram, dram");
    refused(
        "cambricon/demo", {"workload.save={memory: flash}", "system.memories.flash.blocks=8"},
        "need 192 pages of each die of flash flash, in whole blocks; its last plane has 80 left");
    refused("cambricon/demo",
            {"workload.save={memory: flash}",
             "system.memories.flash.failed_dies=[{channel: 0, die: 0}]"},
            "'workload.save.memory' is 'flash', to which no block can copy");
    refused("demo", {"workload.save={memory: sram}", "system.memories.sram.size=64 KiB"},
            "with 1: --set workload.save={memory: sram}: firmware: workload.save: saved keys and "
            "values need");
    refused("demo", {"workload.save={memory: dram}"},
            "--set workload.save={memory: dram}:1:10: 'workload.save.memory' is 'dram', which "
            "already contains all keys and values; expected one of: sram");
    // Both memories have the role kv, and the first one has room for everything.
    refused("demo",
            {"workload.save={memory: sram}", "system.memories.sram.size=4 MiB",
             "system.memories.sram.roles=[activations, kv, state]"},
            "firmware: workload.save: memory sram already holds all keys and values");
    place.write("s.yaml", "extends: " LEVEE_SOURCE "/scenarios/demo.yaml\n"
                          "system: {blocks: {dma: null}}\n"
                          "workload: {prompts: null, sampling: greedy, temperature: null,\n"
                          "  turns: [{prompt_ids: [1]}],\n  save: {memory: sram}}\n");
    const Outcome no_dma = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    CHECK(no_dma.code == 2);
    CHECK_THAT(no_dma.text, Catch::Contains("s.yaml:5:18: 'workload.save' is given, but no "
                                            "block of this system copies between memories"));
}

TEST_CASE("a pause in which nothing is saved or released gives a warning")
{
    const Workplace place;
    const auto warnings = [&](const std::string& more) {
        return results_of(place, greedy("demo") + turns_of(conversation, "2 ms") + more)
            .at("warnings")
            .dump();
    };
    CHECK_THAT(
        warnings("  save: {memory: sram, after: 2 ms}\n"),
        Catch::Contains("workload.save.after is 2 ms, and the longest pause between turns is "
                        "2 ms: keys and values are never saved, so times and energies are "
                        "those of a run without this key"));
    CHECK_THAT(warnings("  save: {memory: sram, after: 1999 us}\n"),
               !Catch::Contains("never saved"));
    CHECK_THAT(warnings("  forget_after: 1 s\n"), Catch::Contains("workload.forget_after is 1 s") &&
                                                      Catch::Contains("never released"));
    const std::string later = "Set it to less than a pause, or remove the key";
    CHECK_THAT(warnings("  forget_after: 1 s\n"), Catch::Contains(later));
    const std::string single =
        results_of(place, greedy("demo") + "  turns: [{prompt: Once}]\n  forget_after: 1 s\n")
            .at("warnings")
            .dump();
    CHECK_THAT(single, Catch::Contains("there is no later turn") &&
                           Catch::Contains("without this key. Remove the key"));
    CHECK_THAT(single, !Catch::Contains(later));
    CHECK_THAT(warnings("  forget_after: 1 ms\n"), !Catch::Contains("never released"));
}

TEST_CASE("a pause of as many ticks as the limit saves and releases nothing")
{
    const Workplace place;
    // A tick is 100 ns, so both times are 20,001 ticks.
    for (const std::string key :
         {"  save: {memory: sram, after: 2000.001 us}\n", "  forget_after: 2000.001 us\n"}) {
        INFO(key);
        const nlohmann::json results =
            results_of(place, greedy("demo") + turns_of(conversation, "2000.002 us") + key);
        const nlohmann::json& metrics = results.at("metrics");
        CHECK(metrics.value("turns.saved", 0) + metrics.value("turns.given_up", 0) == 0);
        CHECK_THAT(results.at("warnings").dump(),
                   Catch::Contains("the longest pause between turns is 2000002 ns: keys and values "
                                   "are never"));
    }
}

TEST_CASE("the first turn's pause begins with the run")
{
    const Workplace place;
    results_of(place, greedy("demo") + turns_of(conversation, "20 ms"));
    CHECK(rows_of(place).at(0).arrives == Approx(0.020).epsilon(1e-4));
    results_of(place, greedy("demo") + turns_of(conversation, "0 s"));
    CHECK(rows_of(place).at(0).arrives < 0.020);
}

TEST_CASE("a run does not overwrite the files of its own scenario")
{
    const Workplace place;
    place.write("talk.csv", "prompt_tokens\n5\n");
    place.write("base.yaml", greedy("demo") + "  turns: talk.csv\n  max_new_tokens: 2\n");
    place.write("s.yaml", "extends: base.yaml\n");
    for (const std::string file : {"talk.csv", "base.yaml", "s.yaml"}) {
        const Outcome outcome = place.levee(
            {"run", "s.yaml", "--quiet", "--out", "out", "--trace", "timeline:" + file});
        INFO(file);
        CHECK(outcome.code != 0);
        CHECK_THAT(outcome.text, Catch::Contains("'" + file + "' is a file that the run reads"));
    }
    place.write("other.csv", "prompt_tokens\n4\n");
    const Outcome set = place.levee({"run", "s.yaml", "--quiet", "--out", "out", "--set",
                                     "workload.turns=other.csv", "--trace", "timeline:other.csv"});
    CHECK_THAT(set.text, Catch::Contains("'other.csv' is a file that the run reads"));
}

TEST_CASE("a run does not replace its input files with results")
{
    const Workplace place;
    for (const char* table : {"turns.csv", "talk.csv"})
        place.write(table, "prompt_tokens\n5\n");
    place.write("s.yaml", greedy("demo") + "  turns: turns.csv\n  max_new_tokens: 2\n");
    const Outcome table = place.levee({"run", "s.yaml", "--quiet", "--out", "."});
    CHECK(table.code == 2);
    CHECK_THAT(table.text, Catch::Contains("turns.csv' is a file that the run reads"));
    const Outcome logits = place.levee(
        {"run", "s.yaml", "--quiet", "--out", ".", "--set", "observe.logits=turns.csv"});
    CHECK_THAT(logits.text, Catch::Contains("turns.csv' is a file that the run reads"));
    place.write("talk.yaml", greedy("demo") + "  turns: talk.csv\n  max_new_tokens: 2\n");
    const Outcome other = place.levee({"run", "talk.yaml", "--quiet", "--out", "."});
    CHECK(other.code == 2);
    CHECK_THAT(other.text, Catch::Contains("turns.csv'; expected another folder"));
    CHECK(place.read("turns.csv") == "prompt_tokens\n5\n");
    std::filesystem::remove(place.path("turns.csv"));
    const Outcome scenario = place.levee(
        {"run", "talk.yaml", "--quiet", "--out", ".", "--set", "observe.logits=talk.yaml"});
    CHECK(scenario.code == 2);
    CHECK_THAT(scenario.text, Catch::Contains("the run reads the file 'talk.yaml'"));
}

TEST_CASE("a run removes the tables of an earlier run, but no tables of the user")
{
    const Workplace place;
    place.write("s.yaml", greedy("demo") + turns_of(conversation, "2 ms"));
    const auto run = [&](const std::string& scenario) {
        CHECK(place.levee({"run", scenario, "--quiet", "--out", "."}).code == 0);
    };
    run("s.yaml");
    CHECK(std::filesystem::exists(place.path("turns.csv")));
    run("hello");
    CHECK_FALSE(std::filesystem::exists(place.path("turns.csv")));
    place.write("turns.csv", "prompt_tokens\n5\n");
    place.write("requests.csv", "prompt_tokens\n5\n");
    run("hello");
    CHECK(place.read("turns.csv") == "prompt_tokens\n5\n");
    CHECK(place.read("requests.csv") == "prompt_tokens\n5\n");
}

TEST_CASE("a conversation has at most 100,000 turns, in a scenario or a file")
{
    constexpr std::size_t most = 100'000;
    const auto repeated = [](const std::string& text, std::size_t times) {
        std::string all;
        for (std::size_t i = 0; i < times; ++i)
            all += text;
        return all;
    };
    const std::string message =
        ": this is turn 100000 of 'workload.turns', counted from 0; expected at most 100000 turns";
    const Workplace place;
    const auto refused = [&](const std::string& name, const std::string& turns,
                             const std::string& where) {
        place.write(name, turns);
        place.write("s.yaml", greedy("demo") + "  turns: " + name + "\n");
        const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
        INFO(name);
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text, Catch::Contains(where));
    };
    refused("talk.csv", "prompt_tokens\n" + repeated("1\n", most + 1),
            "talk.csv:100002:1" + message);
    refused("talk.yaml", repeated("- {prompt_tokens: 1}\n", most + 1),
            "talk.yaml:100001:3" + message);
    refused("talk.csv", "prompt_tokens\n" + repeated("1\n", most),
            "must fit into 'workload.context'");
}

TEST_CASE("turns that no conversation can have are refused at their place")
{
    check_refused("  turns: [{prompt: \"Once\", prompt_tokens: 3}]\n",
                  "expected one of 'prompt', 'prompt_ids', 'prompt_tokens' and 'chat'");
    check_refused("  turns: [{max_new_tokens: 3}]\n",
                  "s.yaml:7:11: 'workload.turns': expected one");
    check_refused("  turns: [{prompt_ids: [1]}]\n  batch: 2\n", "are one conversation: expected 1");
    check_refused("  turns: [{prompt_ids: [1]}]\n  app: perplexity\n", "holds no conversation");
    check_refused("  turns: [{prompt_ids: [1]}]\n  prompt_tokens: 4\n", "expected one source");
    check_refused("  turns: [{prompt_ids: [1, 999]}]\n", "turn 0 has the token 999");
    check_refused("  turns: []\n", "'workload.turns' is empty; expected at least one turn");
    check_refused("  turns: [{prompt_ids: [1], max_new_tokens: 9}, {prompt_ids: [2], "
                  "max_new_tokens: 9}]\n  context: 18\n",
                  "s.yaml:7:49: the turns have 19 tokens with their answers; they must fit into "
                  "'workload.context', 18");
    check_refused("  prompt_ids: [[1]]\n  forget_after: 1 s\n", "is given without 'turns'");
    check_refused("  turns: [{prompt_ids: [1], after: soon}]\n", "workload.turns.after' is 'soon'");
    check_refused("  turns: [{prompt_ids: [1], after: 600000 s}, {prompt_ids: [1], after: 600000 "
                  "s}]\n",
                  "'workload.turns' have more than 1000000 s of pauses");
}

namespace {

const std::string from_file = "  context: 100\n  max_new_tokens: 4\n  turns: talk";

/// The error of a run whose turns are in a file of this ending.
void check_file_refused(const std::string& ending, const std::string& text,
                        const std::string& message)
{
    const Workplace place;
    place.write("talk" + ending, text);
    place.write("s.yaml", greedy("demo") + from_file + ending + "\n");
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    INFO(ending << ": " << text);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains(message));
}

} // namespace

TEST_CASE("turns from a file give the same run as these turns in the scenario")
{
    const Workplace place;
    const auto run = [&](const std::string& turns) {
        nlohmann::json results = results_of(place, greedy("demo") + turns);
        nlohmann::json figures = results.at("metrics");
        for (auto figure = figures.begin(); figure != figures.end();)
            figure = figure.key().starts_with("host.") ? figures.erase(figure) : std::next(figure);
        return std::pair{results.at("tokens"), figures};
    };
    const std::string key = "  max_new_tokens: 4\n  turns: ";
    const auto in_scenario =
        run(key + "[{prompt: \"Once, upon\"}, {prompt: \" a dog,\", max_new_tokens: 6, "
                  "after: 0.5 ms}, {prompt: \" and\", after: 2 ms}]\n");
    place.write("talk.csv", "\xEF\xBB\xBF"
                            "after_s,prompt,max_new_tokens\r\n"
                            ",\"Once, upon\",\r\n\r\n"
                            "0.0005,\" a dog,\",6\r\n2e-3, and,4\r\n");
    CHECK(run(key + "talk.csv\n") == in_scenario);
    place.write("talk.yaml", "- {prompt: \"Once, upon\"}\n- prompt: ' a dog,'\n"
                             "  max_new_tokens: 6\n  after: 0.5 ms\n"
                             "- {prompt: \" and\", after: 2 ms}\n");
    CHECK(run(key + "talk.yaml\n") == in_scenario);
    const nlohmann::json overridden =
        results_of(place, greedy("demo") + "  max_new_tokens: 4\n", {"workload.turns=talk.csv"});
    CHECK(overridden.at("tokens") == in_scenario.first);
    CHECK(overridden.at("scenario").at("workload").at("turns").at(1).at("after") == "0.0005 s");
}

TEST_CASE("turns without texts can also be read from a file")
{
    const Workplace place;
    place.write("talk.csv", "prompt_tokens,after_s\n5,0\n3,0.001\n");
    results_of(place, greedy("demo") + from_file + ".csv\n");
    const std::vector<Row> rows = rows_of(place);
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].cached == 9);
    CHECK(rows[1].prompt == 3);
    CHECK(rows[1].answer == 4);
}

TEST_CASE("a file of turns is refused at its line")
{
    check_file_refused(".csv", "", "talk.csv:1:1: the file has no turns");
    check_file_refused(".csv", "prompt\n", "talk.csv:1:1: the file has no turns");
    check_file_refused(".csv", "promt\nOnce\n", "talk.csv:1:1: expected the columns prompt or");
    check_file_refused(".csv", "after_s\n1\n", "talk.csv:1:1: expected the columns prompt or");
    check_file_refused(".csv", "prompt,prompt_tokens\na,1\n", "talk.csv:1:1: expected the columns");
    check_file_refused(".csv", "prompt,prompt\na,b\n", "talk.csv:1:1: expected the columns");
    check_file_refused(".csv", "prompt,after_s\nOnce,0\nand\n",
                       "talk.csv:3:1: the line has 1 fields; expected 2");
    check_file_refused(".csv", "prompt,after_s\nOnce,0\nand,soon\n",
                       "talk.csv:3:1: 'after_s' is 'soon'; expected a number of seconds");
    check_file_refused(".csv", "prompt,after_s\nOnce,0\nand,-1\n",
                       "talk.csv:3:1: 'after_s' is '-1'");
    check_file_refused(".csv", "prompt,after_s\nOnce,0\nand,1 s\n",
                       "talk.csv:3:1: 'after_s' is '1 s'");
    check_file_refused(".csv", "prompt,after_s\nOnce,0\nand,nan\n",
                       "talk.csv:3:1: 'after_s' is 'nan'");
    check_file_refused(".csv", "prompt,max_new_tokens\nOnce,1.5\n",
                       "talk.csv:2:1: 'workload.turns.max_new_tokens' is '1.5'");
    check_file_refused(".csv", "prompt_tokens,max_new_tokens\n4,1\n,2\n",
                       "talk.csv:3:1: 'workload.turns': expected one of 'prompt'");
    check_file_refused(".csv", "prompt_tokens,max_new_tokens\n4,1\n500,2\n4,2\n",
                       "talk.csv:3:1: the turns have 512 tokens with their answers; they must");
    check_file_refused(".csv", "prompt_tokens,after_s\n1,600000\n1,600000\n",
                       "talk.csv:3:1: 'workload.turns' have more than 1000000 s of pauses");
    check_file_refused(".csv", "prompt\n\"Once\n", "talk.csv:2:1: the line ends within quotes");
    using namespace std::string_literals;
    check_file_refused(".csv", "prompt\nOnce\nup\0on\n"s, "talk.csv:3:1: the line has a zero byte");
    check_file_refused(".csv", "prompt\nOnce\na\xFF\n",
                       "talk.csv:3:2: byte 0xFF is not valid UTF-8");
    check_file_refused(".yaml", "prompt: Once\n",
                       "talk.yaml:1:1: the file holds a map; expected a "
                       "list of turns");
    check_file_refused(".yaml", "- {prompt: Once}\n- {promt: and}\n",
                       "talk.yaml:2:4: unknown key 'workload.turns.promt'; did you mean 'prompt'?");
    check_file_refused(".yaml", "- {prompt: Once}\n- {prompt_ids: [1, 999]}\n",
                       "talk.yaml:2:3: turn 1 has the token 999");
    check_file_refused(".yaml", "[]\n", "'workload.turns' is empty");
    check_refused("  turns: talk.csv\n", "s.yaml:7:10: no file 'talk.csv'");
    check_refused("  turns: talk.txt\n",
                  "s.yaml:7:10: 'workload.turns' is 'talk.txt'; expected a list of turns, or the "
                  "name of a .yaml or .csv file of them");
}
