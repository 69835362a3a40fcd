// SPDX-License-Identifier: Apache-2.0
// Tests requests that arrive while others are being answered.
#include "test/system/energy_rows.hpp"
#include "test/system/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace levee::test;

namespace {

/// A row of the table; an empty cell is NaN.
struct Row {
    double prompt, answer, arrival, queue, first_token, token, seconds, busy, energy;
    std::vector<double> bytes; ///< bytes of each off-chip memory
};

const std::string first_columns =
    "request,prompt_tokens,new_tokens,arrival_s,queue_s,first_token_s,token_s,seconds,busy_s,";

std::vector<Row> rows_of(const Workplace& place)
{
    std::istringstream lines(place.read("out/requests.csv"));
    std::string line;
    std::getline(lines, line);
    CHECK(line.starts_with(first_columns));
    CHECK(line.ends_with(",energy_j"));
    const auto columns = static_cast<std::size_t>(std::ranges::count(line, ',') + 1);
    std::vector<Row> rows;
    while (std::getline(lines, line) && !line.starts_with("idle")) {
        std::istringstream cells(line + ",");
        std::vector<double> values;
        for (std::string cell; std::getline(cells, cell, ',');)
            values.push_back(cell.empty() ? std::nan("") : std::stod(cell));
        REQUIRE(values.size() == columns);
        CHECK(values[0] == double(rows.size()));
        rows.push_back({values[1], values[2], values[3], values[4], values[5], values[6], values[7],
                        values[8], values.back(),
                        std::vector(values.begin() + 9, values.end() - 1)});
    }
    return rows;
}

/// Sums each column of bytes over the requests and the row idle, by memory.
std::map<std::string, std::uint64_t> bytes_of(const Workplace& place)
{
    std::istringstream lines(place.read("out/requests.csv"));
    std::string line;
    std::vector<std::string> names;
    std::map<std::string, std::uint64_t> sums;
    while (std::getline(lines, line)) {
        std::istringstream cells(line + ",");
        std::size_t i = 0;
        const bool is_heading = names.empty();
        for (std::string cell; std::getline(cells, cell, ','); ++i)
            if (is_heading)
                names.push_back(cell);
            else if (names.at(i).ends_with("_bytes") && !cell.empty())
                sums[names[i].substr(0, names[i].size() - 6)] += std::stoull(cell);
    }
    return sums;
}

nlohmann::json results_of(const Workplace& place, const std::string& scenario,
                          const std::vector<std::string>& more = {})
{
    place.write("s.yaml", scenario);
    std::vector<std::string> line{"run", "s.yaml", "--quiet", "--out", "out"};
    line.insert(line.end(), more.begin(), more.end());
    const Outcome outcome = place.levee(line);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(place.read("out/results.json"));
}

/// `machine` has keys that override the scenario's.
std::string serving(const std::string& scenario, const std::string& machine,
                    const std::string& workload)
{
    return "extends: " LEVEE_SOURCE "/scenarios/" + scenario + ".yaml\n" + machine +
           "workload:\n  sampling: greedy\n  temperature: null\n"
           "  stop_token: none\n" +
           (workload.find("max_new_tokens") == std::string::npos ? "  max_new_tokens: null\n"
                                                                 : "") +
           workload;
}

/// The words are known to the embedded model. Several requests arrive together, one of them while
/// all entries are in use.
constexpr const char* file = "arrival_s,prompt,new_tokens\n"
                             "0,Once upon a time,20\n"
                             "0.0001,The dog was,9\n"
                             "0.0001,\"One day, Ben\",14\n"
                             "0.0002,Then the dog,0\n"
                             "0.00021,The whistle was with,1\n"
                             "0.02,Once upon a time,7\n";

/// Checks that the tokens of every request equal those of the request alone.
void check_alone(const std::string& scenario, const std::string& machine)
{
    const Workplace place;
    INFO(scenario);
    place.write("requests.csv", file);
    for (const std::string batch : {"1", "2", "4"}) {
        const nlohmann::json together =
            results_of(place, serving(scenario, machine,
                                      "  prompts: null\n  app: serve\n  batch: " + batch +
                                          "\n  prefill_chunk: 3\n"
                                          "  requests: {file: requests.csv}\n"));
        const std::vector<Row> rows = rows_of(place);
        REQUIRE(rows.size() == 6);
        std::istringstream lines(file);
        std::string line;
        std::getline(lines, line);
        for (std::size_t i = 0; std::getline(lines, line); ++i) {
            const std::size_t first = line.find(','), last = line.rfind(',');
            std::string prompt = line.substr(first + 1, last - first - 1);
            std::erase(prompt, '"');
            const std::string answer = line.substr(last + 1);
            INFO("batch " << batch << ", request " << i);
            CHECK(rows[i].answer == std::stod(answer));
            if (answer == "0") {
                CHECK(together.at("tokens").at(i).empty());
                CHECK(std::isnan(rows[i].first_token));
                CHECK(rows[i].seconds > rows[i].queue); // The prompt has been prefilled.
                continue;
            }
            const nlohmann::json alone =
                results_of(place, serving(scenario, machine,
                                          "  app: generate\n  batch: 1\n  prompts: [\"" + prompt +
                                              "\"]\n  max_new_tokens: " + answer + "\n"));
            CHECK(together.at("tokens").at(i) == alone.at("tokens").at(0));
        }
    }
}

std::string drawn(const std::string& interval, const std::string& more)
{
    return "extends: " LEVEE_SOURCE "/scenarios/kelle/kelle_edram.yaml\n"
           "model: {shape: {extends: models/llama2-7b.yaml, layers: 1, vocab: 64}}\n"
           "sampling: off\nkv_cache: {policy: full, recompute: off}\n"
           "workload: {app: serve, prompt_tokens: null, max_new_tokens: null, context: 64, batch: "
           "4, prefill_chunk: 16, requests: {count: 40, interval: " +
           interval + ", prompt_tokens: 24, new_tokens: 8" + more + "}}\n";
}

void check_refused(const std::string& workload, const std::string& content,
                   const std::string& message)
{
    const Workplace place;
    place.write("requests.csv", content);
    place.write("s.yaml", serving("demo", "", "  prompts: null\n" + workload));
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    INFO(workload << content);
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Catch::Contains(message));
}

/// Returns the middle of the widest gap between a column's sorted values, ignoring the first and
/// last few rows.
double between(std::vector<Row> rows, double Row::*column)
{
    constexpr std::size_t few = 5;
    std::ranges::sort(rows, {}, column);
    std::size_t widest = few;
    for (std::size_t i = few; i + few < rows.size(); ++i)
        if (rows[i + 1].*column - rows[i].*column > rows[widest + 1].*column - rows[widest].*column)
            widest = i;
    return (rows[widest].*column + rows[widest + 1].*column) / 2;
}

} // namespace

TEST_CASE("a request gets the same tokens in any batch as alone")
{
    check_alone("demo", "");
    check_alone("kelle/demo", "kv_cache: {policy: full, recompute: off}\n");
    check_alone("veda/demo", "kv_cache: {policy: full}\n");
    check_alone("pim/titanus_demo", "");
    check_alone("demo", "system: pim/systems/original_cam.yaml\n"
                        "kv_cache: {policy: retrieval, retrieval: {top_k: 2, bits: 4}}\n");
}

TEST_CASE("a prompt in chunks keeps its tokens while another entry generates tokens")
{
    const Workplace place;
    place.write("requests.csv", "arrival_s,prompt,new_tokens\n"
                                "0,Once upon a time,2\n0,Once upon a time,40\n"
                                "0,The whistle was with the dog,6\n");
    for (const std::string machine : {"pim/titanus_demo", "demo"}) {
        const auto tokens = [&](const std::string& chunk) {
            return results_of(
                       place,
                       serving(machine, "",
                               "  prompts: null\n  app: serve\n  batch: 2\n  prefill_chunk: " +
                                   chunk + "\n  requests: {file: requests.csv}\n"))
                .at("tokens");
        };
        INFO(machine);
        CHECK(tokens("2") == tokens("64"));
    }
}

TEST_CASE("requests wait for their arrival, and for a free entry")
{
    const Workplace place;
    place.write("requests.csv", file);
    const nlohmann::json metrics =
        results_of(
            place,
            serving(
                "demo", "",
                "  prompts: null\n  app: serve\n  batch: 2\n  requests: {file: requests.csv}\n"))
            .at("metrics");
    const std::vector<Row> rows = rows_of(place);
    REQUIRE(rows.size() == 6);
    CHECK(rows[0].queue > 0); // The first request waits while the program opens the model.
    CHECK(rows[2].queue > rows[1].queue);
    CHECK(rows[5].arrival == 0.02);
    CHECK(rows[5].queue < 5e-6);
    for (const Row& row : rows)
        if (row.answer > 1) {
            CHECK(row.queue < row.first_token);
            CHECK(row.seconds == Approx(row.first_token + (row.answer - 1) * row.token));
        }
    CHECK(metrics.at("requests.count") == 6);
    CHECK(metrics.at("requests.answered") == 5); // One request asks for no token.
    CHECK(metrics.at("generate.tokens") == 51);
    std::vector<double> queue;
    for (const Row& row : rows)
        queue.push_back(row.queue);
    std::ranges::sort(queue);
    CHECK(metrics.at("requests.queue_s.p50").get<double>() == Approx(queue[2]));
    CHECK(metrics.at("requests.queue_s.p99").get<double>() == Approx(queue[5]));
    CHECK(metrics.at("requests.queue_s.count") == 6);
    CHECK(metrics.at("requests.first_token_s.count") == 5);
    CHECK(metrics.at("requests.token_s.count") == 4); // One request has a single token.
    CHECK(metrics.at("requests.unfinished") == 0);
    CHECK(!metrics.contains("requests.goodput_per_s"));
}

TEST_CASE("goodput is the rate of answers within both limits")
{
    const Workplace place;
    const nlohmann::json all =
        results_of(place, drawn("20 ms", ", limits: {first_token: 1 s, token: 1 s}")).at("metrics");
    const std::vector<Row> rows = rows_of(place);
    const double wait = between(rows, &Row::first_token), pace = between(rows, &Row::token);
    CHECK(all.at("requests.within_limits") == 40);
    CHECK(all.at("requests.goodput_per_s").get<double>() ==
          Approx(40 / all.at("sim.seconds").get<double>()));
    const auto within = [&](const std::string& limits) {
        return results_of(place, drawn("20 ms", ", limits: {" + limits + "}"))
            .at("metrics")
            .at("requests.within_limits")
            .get<int>();
    };
    const std::string first = "first_token: " + std::to_string(std::llround(wait * 1e9)) + " ns",
                      token = "token: " + std::to_string(std::llround(pace * 1e9)) + " ns";
    const auto meets = [&](double most_wait, double most_pace) {
        return std::ranges::count_if(rows, [&](const Row& row) {
            return row.first_token <= most_wait && row.token <= most_pace;
        });
    };
    CHECK(within(first) == meets(wait, 1));
    CHECK(within(token) == meets(1, pace));
    CHECK(within(first + ", " + token) == meets(wait, pace));
}

TEST_CASE("a run that is cut says that its percentiles cover only some requests")
{
    const Workplace place;
    place.write("s.yaml", drawn("20 ms", ", arrivals: regular, limits: {first_token: 1 s}"));
    const Outcome outcome =
        place.levee({"run", "s.yaml", "--out", "out", "--max-sim-time", "100 ms"});
    INFO(outcome.text);
    CHECK(outcome.code == 6);
    const nlohmann::json results = nlohmann::json::parse(place.read("out/results.json"));
    const nlohmann::json& metrics = results.at("metrics");
    const int unfinished = metrics.at("requests.unfinished");
    CHECK(unfinished >= 35); // These requests have not arrived.
    CHECK(unfinished < 40);
    // The figures do not include the other requests.
    CHECK(metrics.at("requests.first_token_s.count") < 10);
    CHECK(metrics.at("requests.within_limits") == 40 - unfinished);
    CHECK_THAT(
        outcome.text,
        Catch::Contains(std::to_string(unfinished) +
                        " of 40 requests had not arrived or were unfinished when the run ended"));
    CHECK_THAT(outcome.text, Catch::Contains("(the largest)"));
}

TEST_CASE("energies of requests and of idle time add up to the run's, with and without data")
{
    const Workplace place;
    (void)results_of(place, drawn("2 ms", ""));
    check_energies(place, "requests.csv", 40);
    place.write("requests.csv", file);
    (void)results_of(place, serving("kelle/demo", "kv_cache: {policy: full, recompute: off}\n",
                                    "  prompts: null\n  app: serve\n  batch: 2\n"
                                    "  prefill_chunk: 3\n  requests: {file: requests.csv}\n"));
    check_energies(place, "requests.csv", 6);
    const std::vector<Row> rows = rows_of(place);
    CHECK(rows[0].energy > rows[1].energy); // These are 20 and 9 tokens, after prompts of 4 and 3.
    CHECK(rows[3].energy > 0);              // This request has only a prefill.
}

TEST_CASE("bytes of requests and of idle time add up to those of each off-chip memory")
{
    const Workplace place;
    const auto check = [&](const std::string& scenario, std::size_t memories) {
        place.write("requests.csv", file);
        const nlohmann::json metrics = results_of(place, scenario).at("metrics");
        const std::map<std::string, std::uint64_t> sums = bytes_of(place);
        CHECK(sums.size() == memories);
        std::uint64_t all = 0;
        for (const auto& [memory, bytes] : sums) {
            INFO(memory);
            all += bytes;
            CHECK(bytes == metrics.value(memory + ".read_bytes", std::uint64_t{0}) +
                               metrics.value(memory + ".write_bytes", std::uint64_t{0}) +
                               metrics.value(memory + ".channel_bytes", std::uint64_t{0}));
        }
        CHECK(all > 0);
    };
    const std::string workload = "  prompts: null\n  app: serve\n  batch: 2\n  prefill_chunk: 3\n"
                                 "  requests: {file: requests.csv}\n";
    check(serving("demo", "", workload), 1);
    std::vector<Row> rows = rows_of(place);
    CHECK(rows[0].bytes[0] > rows[1].bytes[0]); // The requests have 20 and 9 tokens.
    CHECK(rows[3].bytes[0] > 0);                // This request has only a prefill.
    check(serving("veda/demo", "kv_cache: {policy: full}\n", workload), 1);
    const std::string one = "  prompts: null\n  app: serve\n  batch: 1\n"
                            "  requests: {file: requests.csv}\n";
    check(serving("cambricon/demo", "", one), 2); // The off-chip memories are a flash and a DRAM.
}

TEST_CASE("times of requests and of idle time add up to the run's, to the picosecond")
{
    const Workplace place;
    const auto check = [&](const std::string& scenario, const std::vector<std::string>& more = {}) {
        place.write("requests.csv", file);
        const nlohmann::json metrics = results_of(place, scenario, more).at("metrics");
        std::istringstream lines(place.read("out/requests.csv"));
        std::string line;
        std::getline(lines, line);
        std::uint64_t ps = 0;
        while (std::getline(lines, line)) {
            std::istringstream cells(line);
            std::string cell;
            for (int i = 0; i < 9; ++i)
                std::getline(cells, cell, ',');
            REQUIRE(cell.size() - cell.find('.') == 13);
            std::erase(cell, '.');
            ps += std::stoull(cell);
        }
        CHECK(double(ps) == Approx(metrics.at("sim.seconds").get<double>() * 1e12).epsilon(1e-13));
        return rows_of(place);
    };
    const std::string workload = "  prompts: null\n  app: serve\n  prefill_chunk: 3\n"
                                 "  requests: {file: requests.csv}\n  batch: ";
    for (const std::string batch : {"1", "2", "4"}) {
        const std::vector<Row> rows = check(serving("demo", "", workload + batch + "\n"));
        CHECK(rows[0].busy > rows[1].busy); // These requests have 20 and 9 tokens.
        CHECK(rows[3].busy > 0);            // This request has only a prefill.
        CHECK(rows[0].busy < rows[0].seconds);
        CHECK(rows[5].busy > 0.9 * rows[5].seconds); // The last request runs alone.
    }
    (void)check(drawn("2 ms", ", prefix_block: 4, prefix_tokens: 8"));
}

namespace {

/// Cycles of an array of 24 x 24 multipliers that loads 128 bytes a cycle: the sum over its folds.
std::uint64_t folds(std::uint64_t m, std::uint64_t k, std::uint64_t n, std::uint64_t bytes)
{
    constexpr std::uint64_t side = 24;
    std::uint64_t cycles = 0;
    for (std::uint64_t i = 0; i < k; i += side)
        for (std::uint64_t j = 0; j < n; j += side) {
            const std::uint64_t part = std::min(side, k - i) * std::min(side, n - j);
            cycles += std::max(m, (part * bytes + 127) / 128);
        }
    return cycles;
}

/// Cycles of a pass through one layer of Llama2-7B and a classifier of 64 tokens. Each entry has
/// `rows` tokens, and a cache of the given length behind them.
std::uint64_t array_cycles(std::uint64_t rows, const std::vector<std::uint64_t>& lengths,
                           bool logits)
{
    constexpr std::uint64_t dim = 4096, hidden = 11008, heads = 32, head = 128, vocab = 64;
    // This is the fill and drain time of each operation.
    constexpr std::uint64_t fill_and_drain = 24 + 24 - 2;
    const std::uint64_t tokens = rows * lengths.size();
    std::uint64_t cycles = folds(tokens, dim, 3 * dim, 1) + folds(tokens, dim, dim, 1) +
                           folds(tokens, dim, 2 * hidden, 1) + folds(tokens, hidden, dim, 1) +
                           6 * fill_and_drain;
    for (const std::uint64_t length : lengths)
        cycles += heads * (folds(rows, head, length, 2) + folds(rows, length, head, 2));
    return cycles + (logits ? folds(lengths.size(), dim, vocab, 1) + fill_and_drain : 0);
}

} // namespace

TEST_CASE("a trace of requests takes the array's time by hand, to the nanosecond")
{
    const Workplace place;
    // All data are in a memory so fast that nothing waits for it.
    const std::string machine =
        "extends: " LEVEE_SOURCE "/scenarios/kelle/original_sram.yaml\n"
        "model: {shape: {extends: models/llama2-7b.yaml, layers: 1, vocab: 64}}\n"
        "system:\n  extends: systems/original.yaml\n"
        "  bus: {port_bandwidth: 1000 TB/s}\n"
        "  blocks: {rsa: {passes: 1}}\n"
        "  memories:\n    dram: null\n"
        "    sram: {size: 512 MiB, bandwidth: 1000 TB/s, roles: [model, kv, spill, activations]}\n"
        "timing: {latency: false}\ntech: null\n"
        "sampling: off\nkv_cache: {policy: full, recompute: off}\n";
    place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens\n"
                                "0,6,3\n0,3,2\n0,2,0\n1,1,1\n");
    const nlohmann::json metrics =
        results_of(place, machine +
                              "workload: {app: serve, prompt_tokens: null, max_new_tokens: null, "
                              "context: 16, batch: 2, prefill_chunk: 4, requests: {file: "
                              "requests.csv}}\n")
            .at("metrics");
    const std::uint64_t cycles = array_cycles(4, {4}, false)     // request 0: a part of its prompt
                                 + array_cycles(2, {6}, true)    // request 0: rest, first token
                                 + array_cycles(1, {7}, true)    // request 0: second token
                                 + array_cycles(3, {3}, true)    // request 1: first token
                                 + array_cycles(1, {8, 4}, true) // requests 0 and 1: last tokens
                                 + array_cycles(2, {2}, true)    // request 2: no answer
                                 + array_cycles(1, {1}, true);   // request 3: a second later
    CHECK(std::llround(1e12 * metrics.at("rsa.busy_seconds").get<double>()) ==
          1000 * static_cast<long long>(cycles));
    const std::vector<Row> rows = rows_of(place);
    CHECK(rows[3].arrival == 1);
    CHECK(rows[2].queue > rows[1].first_token); // Both entries were in use.
    // Requests 2 and 3 share no pass with another request.
    CHECK(rows[2].busy > 1e-9 * double(array_cycles(2, {2}, true)));
    CHECK(rows[3].busy > 1e-9 * double(array_cycles(1, {1}, true)));
}

TEST_CASE("the table has columns of bytes for each off-chip memory, or none")
{
    const Workplace place;
    const std::string workload = "  prompts: null\n  app: serve\n  batch: 2\n  prefill_chunk: 3\n"
                                 "  requests: {file: requests.csv}\n";
    const auto heading = [&](const std::string& machine) {
        place.write("requests.csv", file);
        const nlohmann::json results = results_of(place, serving("demo", machine, workload));
        CHECK(results.at("tokens").at(0).size() == 20);
        const std::vector<Row> rows = rows_of(place);
        CHECK(rows.size() == 6);
        const std::string table = place.read("out/requests.csv");
        const std::string first = table.substr(0, table.find('\n'));
        // The row "idle" has as many cells as the heading.
        const std::string idle = table.substr(table.find("idle"));
        CHECK(std::ranges::count(idle, ',') == std::ranges::count(first, ','));
        return first.substr(first_columns.size());
    };
    CHECK(heading("") == "dram_bytes,energy_j");
    CHECK(heading("system: {memories: {sram: {size: 8 MiB, roles: [activations, model, kv, "
                  "spill]}, dram: null}}\n") == "energy_j");
}

TEST_CASE("requests that were never started have neither bytes nor energy")
{
    const Workplace place;
    place.write("s.yaml", drawn("20 ms", ", arrivals: regular"));
    (void)place.levee({"run", "s.yaml", "--quiet", "--out", "out", "--max-sim-time", "100 ms"});
    std::vector<Row> rows = rows_of(place);
    REQUIRE(rows.size() == 40);
    CHECK(rows[0].energy > 0);
    CHECK(rows[0].bytes.at(0) > 0);
    CHECK(std::isnan(rows[39].energy));
    CHECK(std::isnan(rows[39].bytes.at(0)));
}

TEST_CASE("drawn requests arrive at their rate, and wait in a queue if the load is too high")
{
    const Workplace place;
    results_of(place, drawn("20 ms", ", arrivals: regular"));
    std::vector<Row> rows = rows_of(place);
    REQUIRE(rows.size() == 40);
    for (std::size_t i = 0; i < rows.size(); ++i)
        CHECK(rows[i].arrival == Approx(0.02 * double(i)));
    const nlohmann::json calm = results_of(place, drawn("200 ms", "")).at("metrics");
    rows = rows_of(place);
    CHECK(rows.back().arrival == Approx(7.8).epsilon(0.4)); // The sum of 39 exponential intervals.
    const std::vector<Row> first = rows;
    results_of(place, drawn("200 ms", ""), {"--seed", "5"});
    CHECK(rows_of(place).back().arrival != first.back().arrival);
    const nlohmann::json busy = results_of(place, drawn("100 us", "")).at("metrics");
    CHECK(busy.at("requests.queue_s.p90").get<double>() >
          10 * calm.at("requests.queue_s.p90").get<double>());
    CHECK(busy.at("generate.tokens") == 320);
    CHECK(calm.at("generate.tokens") == 320);
}

/// Runs requests that do not overlap. Returns microseconds of decoding, and the share of idle rows.
std::pair<double, double> apart(const std::string& batch)
{
    const Workplace place;
    place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens\n0,24,8\n1,24,8\n2,24,8\n");
    const std::string scenario = drawn("1 ms", "");
    std::string text =
        scenario.substr(0, scenario.find("requests: {")) + "requests: {file: requests.csv}}\n";
    text.replace(text.find("batch: 4"), 8, "batch: " + batch);
    const nlohmann::json metrics = results_of(place, text).at("metrics");
    CHECK(metrics.at("requests.step_rows") == 21);
    CHECK(metrics.at("requests.idle_rows") == 0);
    return {metrics.at("decode.seconds"), metrics.at("energy.total_j")};
}

TEST_CASE("free entries add neither time nor energy to a single request")
{
    const auto [one_seconds, one_joules] = apart("1");
    const auto [eight_seconds, eight_joules] = apart("3");
    CHECK(eight_seconds == Approx(one_seconds).epsilon(0.01));
    CHECK(eight_joules == Approx(one_joules).epsilon(0.01));
}

TEST_CASE("rows of free entries before an active entry are counted")
{
    const Workplace place;
    place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens\n0,24,2\n0,24,9\n");
    const std::string scenario = drawn("1 ms", "");
    const nlohmann::json metrics =
        results_of(place, scenario.substr(0, scenario.find("requests: {")) +
                              "requests: {file: requests.csv}}\n")
            .at("metrics");
    // The first request has finished before the second one's prefill ends.
    CHECK(metrics.at("requests.step_rows") == 1 + 8 * 2);
    CHECK(metrics.at("requests.idle_rows") == 8);
}

TEST_CASE("a table of requests may have a byte order mark, spaces and Windows' line ends")
{
    const Workplace place;
    const std::string byte_order_mark = "\xEF\xBB\xBF";
    place.write("requests.csv",
                byte_order_mark + "arrival_s,prompt_tokens,new_tokens\r\n 0.001 , 5, 2 \r\n");
    const std::string scenario = drawn("1 ms", "");
    results_of(place, scenario.substr(0, scenario.find("requests: {")) +
                          "requests: {file: requests.csv}}\n");
    const std::vector<Row> rows = rows_of(place);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].arrival == 0.001);
    CHECK(rows[0].answer == 2);
}

TEST_CASE("a full batch takes less time than one request after another")
{
    const Workplace place;
    const auto seconds = [&](const std::string& batch) {
        place.write("requests.csv", "arrival_s,prompt_tokens,new_tokens\n0,24,8\n0,24,8\n"
                                    "0,24,8\n0,24,8\n");
        const std::string scenario = drawn("1 ms", "");
        const std::size_t from = scenario.find("requests: {");
        std::string text = scenario.substr(0, from) + "requests: {file: requests.csv}}\n";
        text.replace(text.find("batch: 4"), 8, "batch: " + batch);
        return results_of(place, text).at("metrics").at("sim.seconds").get<double>();
    };
    CHECK(seconds("4") < 0.6 * seconds("1"));
}

TEST_CASE(
    "features that continue from any row of the cache are refused with a window, at their place")
{
    const Workplace place;
    const auto outcome = [&](const std::string& context, const std::string& workload) {
        place.write("s.yaml",
                    "extends: " LEVEE_SOURCE "/scenarios/kelle/kelle_edram.yaml\n"
                    "model: {shape: {extends: models/gemma2-2b.yaml, layers: 2, window: 32}}\n"
                    "sampling: off\nkv_cache: {policy: full, recompute: off}\n"
                    "workload:\n  prompt_tokens: null\n  max_new_tokens: null\n  batch: 1\n"
                    "  context: " +
                        context + "\n" + workload);
        return place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    };
    const std::string turns = "  app: generate\n  turns: [{prompt_tokens: 9, max_new_tokens: 2}]\n";
    const std::string requests = "  app: serve\n  requests: {count: 2, interval: 1 ms, "
                                 "prompt_tokens: 9, new_tokens: 2}\n";
    for (const auto& [workload, key] :
         {std::pair{requests, std::string("requests")},
          std::pair{turns + "  forget_after: 1 s\n", std::string("forget_after")},
          std::pair{turns + "  save: {memory: dram}\n", std::string("save")},
          std::pair{turns + "  speculation: {acceptance: 0.5}\n", std::string("speculation")}}) {
        INFO(key);
        const Outcome refused = outcome("33", workload);
        CHECK(refused.code == 2);
        CHECK_THAT(refused.text,
                   Catch::Contains("'workload." + key +
                                   "' is given, but some layers "
                                   "attend only to the last 32 tokens") &&
                       Catch::Contains("expected 'workload.context' of at most 32, or a model") &&
                       !Catch::Contains("policy"));
        CHECK(outcome("32", workload).code == 0);
    }
}

TEST_CASE("copies of keys and values in crossbars are refused at their place")
{
    const Workplace place;
    const auto outcome = [&](const std::string& workload) {
        place.write("s.yaml", "extends: " LEVEE_SOURCE "/scenarios/pim/retransformer.yaml\n"
                              "workload:\n  prompts: null\n  max_new_tokens: null\n"
                              "  sampling: greedy\n  temperature: null\n" +
                                  workload);
        return place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    };
    const std::string serve = "  app: serve\n  requests: {count: 2, interval: 1 ms, "
                              "prompt_tokens: 9, new_tokens: 2";
    const Outcome shared = outcome(serve + ", prefix_block: 4}\n");
    CHECK(shared.code == 2);
    CHECK_THAT(shared.text, Catch::Contains("'workload.requests.prefix_block' is given, but "
                                            "attention by pipelined keeps keys and values"));
    const Outcome saved = outcome("  turns: [{prompt_ids: [1]}]\n  save: {memory: dram}\n");
    CHECK(saved.code == 2);
    CHECK_THAT(saved.text, Catch::Contains("'workload.save' is given, but attention by pipelined"));
    CHECK(outcome(serve + "}\n").code == 0);
}

TEST_CASE("requests that cannot be answered are refused at their place")
{
    const std::string serve = "  app: serve\n  requests: {file: requests.csv}\n";
    check_refused(serve, "a,b,c\n1,2,3\n", "requests.csv:1:1: expected the columns arrival_s");
    check_refused(serve, "arrival_s,prompt_tokens,new_tokens\n0,5\n", "requests.csv:2:1: the line");
    check_refused(serve, "arrival_s,prompt_tokens,new_tokens\n0,5,x\n", "new_tokens is 'x'");
    check_refused(serve, "arrival_s,prompt_tokens,new_tokens\n-1,5,2\n",
                  "arrival_s is '-1'; expected 0 to 1000000\n");
    check_refused(serve, "arrival_s,prompt_tokens,new_tokens\nnan,5,2\n", "arrival_s is 'nan'");
    check_refused(serve, "arrival_s,prompt_tokens,new_tokens\n", "the file has no requests");
    check_refused(serve, "arrival_s,prompt_tokens,new_tokens\n0,5,2\n0,5,9999\n",
                  "requests.csv:3:1: request 1 has 5 tokens and 9999 are to be generated");
    check_refused(serve, "arrival_s,prompt,new_tokens\n0,\"Once,2\n",
                  "requests.csv:2:1: the line ends within quotes");
    check_refused(serve + "  max_new_tokens: 3\n", "arrival_s,prompt_tokens,new_tokens\n0,5,2\n",
                  "'workload.max_new_tokens' is given");
    check_refused(
        "  app: serve\n  requests:\n    count: 3\n    interval: 1 s\n    new_tokens: 9999\n"
        "    prompt_tokens: 5\n",
        "", "s.yaml:13:20: request 0 has 5 tokens and 9999 are to be generated");
    check_refused("  app: serve\n  requests: {count: 100, interval: 20000 s, arrivals: regular, "
                  "prompt_tokens: 3, new_tokens: 2}\n",
                  "", "s.yaml:9:36: request 51 of 'workload.requests' arrives after 1020000 s");
    check_refused("  app: serve\n  prompt_tokens: 3\n", "", "expected 'workload.requests'");
    check_refused("  app: generate\n  requests: {file: requests.csv}\n", "", "expected 'serve'");
    check_refused("  app: serve\n  requests: {count: 3}\n", "", "interval' is missing");
    check_refused("  app: serve\n  requests: {count: 3, file: requests.csv}\n", "x",
                  "expected one of the two");
    check_refused("  app: serve\n  requests: {file: requests.csv, arrivals: regular}\n", "x",
                  "'workload.requests.arrivals' is given, but 'file' sets");
    const Workplace flash;
    flash.write("s.yaml", serving("cambricon/demo", "",
                                  "  prompts: null\n  app: serve\n  batch: 2\n  requests: "
                                  "{count: 1, interval: 1 s, prompt_tokens: 3, new_tokens: 2}\n"));
    const Outcome two = flash.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    CHECK(two.code == 2);
    CHECK_THAT(two.text, Catch::Contains("s.yaml:9:10: 'workload.batch' is 2; scheduler flash: "
                                         "weights: flash supports a batch of at most 1"));
    check_refused("  app: serve\n  requests: {file: requests.csv, limits: {}}\n", "x",
                  "'workload.requests.limits' is empty; expected 'first_token'");
    check_refused(serve, "arrival_s,prompt_tokens,new_tokens,seed\n0,5,2,-1\n", "seed is '-1'");
    check_refused(serve, "arrival_s,prompt_tokens,seed,new_tokens\n0,5,1,2\n",
                  "requests.csv:1:1: expected the columns arrival_s, prompt or prompt_tokens, and "
                  "new_tokens; with prompt_tokens also prefix and prefix_tokens after new_tokens; "
                  "the last columns may be seed and temperature");
    check_refused(serve, "arrival_s,prompt_tokens,new_tokens,seed,seed\n0,5,1,2,3\n",
                  "requests.csv:1:1: expected the columns");
    for (const std::string wrong : {"-1", "0.0009", "1001", "warm", "nan", "0.5 K"})
        check_refused(
            serve, "arrival_s,prompt_tokens,new_tokens,temperature\n0,5,2,\n0,5,2," + wrong + "\n",
            "requests.csv:3:1: temperature is '" + wrong +
                "'; expected 0.001 to 1000, 0 for the most probable tokens, or an empty "
                "cell for the workload's own");
}

namespace {

/// Two requests differ only in their seeds, and two are identical.
constexpr const char* seeded[] = {
    "0,Once upon a time,20,7\n",      "0.0001,The dog was,9,4294967295\n",
    "0.0001,\"One day, Ben\",14,0\n", "0.00021,Once upon a time,20,8\n",
    "0.0003,Once upon a time,20,7\n",
};

nlohmann::json drawn_tokens(const Workplace& place, const std::string& scenario,
                            const std::string& machine, const std::string& lines,
                            const std::string& more)
{
    place.write("requests.csv", "arrival_s,prompt,new_tokens,seed\n" + lines);
    return results_of(place, "extends: " LEVEE_SOURCE "/scenarios/" + scenario + ".yaml\n" +
                                 machine +
                                 "workload:\n  app: serve\n  prompts: null\n  max_new_tokens: "
                                 "null\n  stop_token: none\n  sampling: temperature\n"
                                 "  temperature: 0.9\n  requests: {file: requests.csv}\n" +
                                 more)
        .at("tokens");
}

void check_drawn_alone(const std::string& scenario, const std::string& machine)
{
    const Workplace place;
    std::string all;
    std::vector<nlohmann::json> alone;
    for (const std::string line : seeded) {
        all += line;
        alone.push_back(drawn_tokens(place, scenario, machine, line, "  batch: 1\n").at(0));
    }
    CHECK(alone[0] != alone[3]);
    CHECK(alone[0] == alone[4]);
    for (const std::string batch : {"1", "2", "4"}) {
        INFO(scenario << ", batch " << batch);
        CHECK(drawn_tokens(place, scenario, machine, all,
                           "  batch: " + batch + "\n  prefill_chunk: 3\n") ==
              nlohmann::json(alone));
    }
}

} // namespace

TEST_CASE("a request draws the same tokens as alone, by its seed")
{
    check_drawn_alone("demo", "");
    check_drawn_alone("kelle/demo", "kv_cache: {policy: full, recompute: off}\n");
    check_drawn_alone("veda/demo", "kv_cache: {policy: full}\n");
    check_drawn_alone("pim/titanus_demo", "");
}

namespace {

/// Two requests differ only in their temperatures, one takes the most probable tokens, and one has
/// neither a temperature nor a seed of its own.
constexpr const char* warmed[] = {
    "0,Once upon a time,20,7,0.5\n",        "0.0001,The dog was,9,3,2\n",
    "0.0001,\"One day, Ben\",14,0,0.001\n", "0.00021,Once upon a time,20,7,1000\n",
    "0.0003,Once upon a time,20,7,0\n",     "0.0003,Once upon a time,20,,\n",
};

/// `sampling` has the workload's own keys.
nlohmann::json warmed_tokens(const Workplace& place, const std::string& machine,
                             const std::string& sampling, const std::string& columns,
                             const std::string& lines, const std::string& more)
{
    place.write("requests.csv", "arrival_s,prompt,new_tokens" + columns + "\n" + lines);
    return results_of(place,
                      "extends: " LEVEE_SOURCE "/scenarios/" + machine +
                          "workload:\n  app: serve\n  prompts: null\n  max_new_tokens: "
                          "null\n  stop_token: none\n  requests: {file: requests.csv}\n" +
                          sampling + more,
                      {"--seed", "4"})
        .at("tokens");
}

const std::string greedy = "  sampling: greedy\n  temperature: null\n";

std::string at_temperature(const std::string& temperature)
{
    return "  sampling: temperature\n  temperature: " + temperature + "\n";
}

/// Returns the tokens of one line of `warmed` run on its own, with the line's temperature as the
/// workload's.
nlohmann::json alone_at_its_temperature(const Workplace& place, const std::string& machine,
                                        const std::string& line, const std::string& own)
{
    const std::size_t last = line.rfind(','), before = line.rfind(',', last - 1);
    std::string temperature = line.substr(last + 1, line.size() - last - 2);
    std::string seed = line.substr(before + 1, last - before - 1);
    if (seed.empty())
        seed = "9"; // This seed is the scenario's seed plus the number of the request.
    const std::string sampling = temperature.empty()  ? own
                                 : temperature == "0" ? greedy
                                                      : at_temperature(temperature);
    return warmed_tokens(place, machine, sampling, ",seed",
                         line.substr(0, before) + "," + seed + "\n", "  batch: 1\n")
        .at(0);
}

void check_warmed(const std::string& machine, const std::string& own)
{
    const Workplace place;
    std::string all;
    nlohmann::json alone = nlohmann::json::array();
    for (const std::string line : warmed) {
        all += line;
        alone.push_back(alone_at_its_temperature(place, machine, line, own));
    }
    CHECK(alone[0] != alone[3]);
    CHECK(alone[0] != alone[4]);
    CHECK((alone[4] == alone[5]) == (own == greedy));
    for (const std::string more :
         {"  batch: 1\n", "  batch: 2\n  prefill_chunk: 3\n", "  batch: 4\n"}) {
        INFO(machine << own << more);
        CHECK(warmed_tokens(place, machine, own, ",seed,temperature", all, more) == alone);
    }
}

} // namespace

TEST_CASE("a request with a temperature draws the same tokens as alone at that temperature")
{
    check_warmed("demo.yaml\n", at_temperature("0.9"));
    check_warmed("demo.yaml\n", greedy);
    check_warmed("kelle/demo.yaml\nkv_cache: {policy: full, recompute: off}\n",
                 at_temperature("0.9"));
    check_warmed("veda/demo.yaml\nkv_cache: {policy: full}\n", at_temperature("0.9"));
    check_warmed("pim/titanus_demo.yaml\n", greedy);
}

TEST_CASE("the columns of seeds and temperatures may have any order, and either may be absent")
{
    const Workplace place;
    const auto tokens = [&](const std::string& columns, const std::string& cells) {
        return warmed_tokens(place, "demo.yaml\n", greedy, columns,
                             "0,Once upon a time,20" + cells + "\n", "");
    };
    const nlohmann::json both = tokens(",seed,temperature", ",4,0.9");
    CHECK(tokens(",temperature,seed", ",0.9,4") == both);
    CHECK(tokens(",temperature", ",0.9") == both); // The scenario's seed is 4.
    CHECK(tokens(",seed", ",4") != both);
}

TEST_CASE("seeds that are never used for drawing give a warning")
{
    const Workplace place;
    place.write("requests.csv", "arrival_s,prompt,new_tokens,seed\n0,Once upon a time,2,7\n");
    const auto warnings = [&](const std::string& sampling) {
        return results_of(place, "extends: " LEVEE_SOURCE "/scenarios/demo.yaml\n"
                                 "workload: {app: serve, prompts: null, max_new_tokens: null, " +
                                     sampling + ", requests: {file: requests.csv}}\n")
            .at("warnings")
            .dump();
    };
    CHECK_THAT(warnings("sampling: greedy, temperature: null"),
               Catch::Contains("the column 'seed' of 'workload.requests' has no effect"));
    CHECK_THAT(warnings("sampling: temperature"), !Catch::Contains("has no effect"));
    place.write("requests.csv", "arrival_s,prompt,new_tokens,seed,temperature\n"
                                "0,Once upon a time,2,7,0.5\n");
    CHECK_THAT(warnings("sampling: greedy, temperature: null"), !Catch::Contains("has no effect"));
}

TEST_CASE("requests without seeds get one each from the scenario's seed")
{
    const Workplace place;
    const auto tokens = [&](const std::string& seed) {
        place.write("requests.csv", "arrival_s,prompt,new_tokens\n0,Once upon a time,20\n"
                                    "0,Once upon a time,20\n");
        return results_of(place,
                          "extends: " LEVEE_SOURCE "/scenarios/demo.yaml\n"
                          "workload: {app: serve, prompts: null, max_new_tokens: null, "
                          "stop_token: none, sampling: temperature, temperature: 0.9, batch: 2, "
                          "requests: {file: requests.csv}}\n",
                          {"--seed", seed})
            .at("tokens");
    };
    const nlohmann::json five = tokens("5"), six = tokens("6");
    CHECK(five.at(0) != five.at(1));
    CHECK(five.at(1) == six.at(0));
}
