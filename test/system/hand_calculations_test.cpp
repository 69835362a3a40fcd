// SPDX-License-Identifier: Apache-2.0
// Compares simulated phases with the hand calculation of docs/hand_calculations.md, term by term.
#include "test/support/timeline_check.hpp"
#include "test/system/hand_calculation.hpp"
#include "test/system/program.hpp"

#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

using levee::test::Machine;
using levee::test::Operations;
using levee::test::Outcome;
using levee::test::seconds;
using levee::test::shared;
using levee::test::streaming;
using levee::test::Work;
using levee::test::Workplace;

namespace {

/// enum operation_kind of firmware/llm/operation.h, the low byte of a descriptor's tag.
enum class Kind {
    Embed = 1,
    Norm,
    Linear,
    Query,
    StoreKey,
    StoreValue,
    Scores,
    Softmax,
    Mix,
    Quantise,
    Add,
    Activate,
    Pick
};

/// A link in the chain of operations. Each link waits for the previous one and ends when all of its
/// operations have ended.
struct Link {
    std::string term;
    double by_hand; ///< Time by hand, in seconds.
    std::vector<Kind> ends;
};

struct Operation {
    Kind kind;
    std::int64_t begin_ps, end_ps;
};

/// Returns the operations of the blocks in the order in which they ended, with the start of each
/// execution.
std::vector<Operation> operations_of(const std::filesystem::path& timeline)
{
    const std::unique_ptr<gzFile_s, decltype(&gzclose)> file(gzopen(timeline.c_str(), "rb"),
                                                             gzclose);
    REQUIRE(file);
    std::vector<Operation> operations;
    std::map<std::pair<int, std::int64_t>, std::int64_t> begins; // Spans by track and end.
    std::array<char, 1 << 16> buffer;
    while (gzgets(file.get(), buffer.data(), buffer.size())) {
        const std::string_view line = buffer.data();
        const bool executing = line.find("\"name\":\"executing\"") != std::string::npos;
        if (!executing && line.find("\"tag\":") == std::string::npos)
            continue;
        const auto event = nlohmann::json::parse(line.substr(0, line.rfind('}') + 1));
        const std::int64_t begin = std::llround(event.at("ts").get<double>() * 1e6);
        const std::int64_t end = begin + std::llround(event.at("dur").get<double>() * 1e6);
        if (executing) {
            begins[{event.at("tid"), end}] = begin;
            continue;
        }
        const auto tag = std::stoul(event.at("args").at("tag").get<std::string>());
        operations.push_back({static_cast<Kind>(tag & 0xff), event.at("tid"), end});
    }
    for (Operation& operation : operations)
        operation.begin_ps = begins.at({static_cast<int>(operation.begin_ps), operation.end_ps});
    std::stable_sort(operations.begin(), operations.end(),
                     [](const Operation& a, const Operation& b) { return a.end_ps < b.end_ps; });
    return operations;
}

struct Term {
    double by_hand = 0, simulated = 0;
};

class Comparison {
public:
    /// The operations from number `first` on must be those of the links, in the same order within
    /// each kind.
    Comparison(const std::vector<Operation>& operations, std::size_t first)
    {
        for (std::size_t i = first; i < operations.size(); ++i)
            operations_[operations[i].kind].push_back(operations[i]);
    }

    void add(const std::vector<Link>& links)
    {
        for (const Link& link : links) {
            std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
            for (const Kind kind : link.ends) {
                const std::size_t index = taken_[kind]++;
                REQUIRE(index < operations_[kind].size());
                begin = std::min(begin, operations_[kind][index].begin_ps);
                end = std::max(end, operations_[kind][index].end_ps);
            }
            begin = std::max(begin, last_ps_);
            terms_[link.term].by_hand += link.by_hand;
            terms_[link.term].simulated += static_cast<double>(end - begin) * 1e-12;
            last_ps_ = end;
        }
    }

    /// Checks every term, and compares their sum with the phase's time.
    void check(double phase) const
    {
        double sum = 0;
        std::ostringstream table;
        table << std::fixed;
        for (const auto& [name, term] : terms_) {
            sum += term.by_hand;
            table << std::left << std::setw(34) << name << std::right << std::setprecision(3)
                  << std::setw(12) << term.by_hand * 1e3 << std::setw(12) << term.simulated * 1e3
                  << std::setprecision(4) << std::setw(9) << term.by_hand / term.simulated << '\n';
        }
        table << "ms, by hand, simulated, ratio; the sum " << sum * 1e3 << " of the phase's "
              << phase * 1e3;
        INFO(table.str());
        for (const auto& [name, term] : terms_) {
            INFO(name);
            CHECK(term.by_hand == Approx(term.simulated).epsilon(0.02));
        }
        CHECK(sum == Approx(phase).epsilon(0.02));
    }

private:
    std::map<Kind, std::vector<Operation>> operations_;
    std::map<Kind, std::size_t> taken_;
    std::map<std::string, Term> terms_;
    std::int64_t last_ps_ = 0;
};

/// V's product and the scores share one array and one memory. Each gets half of them until the
/// shorter one ends. V is stored when it is complete.
double together(const Work& linear, const Work& stored, const Work& scores)
{
    Work both = linear;
    both += scores;
    const double one = streaming(linear), other = streaming(scores), sum = streaming(both);
    const double linear_ends = one < other ? std::min(2 * one, sum) : sum;
    return std::max(sum + levee::test::Dram::latency(), linear_ends + seconds(stored));
}

/// The scores run while V is being stored. Each of the two gets half of the DRAM's bandwidth, if it
/// can use that much.
double beside(const Work& stored, const Work& scores)
{
    const levee::test::Dram dram;
    const double mine = dram.seconds(scores.dram_read, scores.dram_written);
    const double others = dram.seconds(stored.dram_read, stored.dram_written);
    const double wanted = mine / streaming(scores);
    const double lost = wanted <= 0.5 ? 0 : 2 * others * (1 - 0.5 / wanted);
    return std::max(mine + others, std::max(streaming(scores) + lost, streaming(stored))) +
           levee::test::Dram::latency();
}

/// Adds norm, queries, keys, values and scores of a layer.
std::vector<Link> towards_attention(const Operations& by, bool kelle)
{
    const double dim = by.shape().dim;
    const Work norm = by.norm(), scores = by.scores();
    if (!kelle) {
        return {{"function unit", seconds(norm), {Kind::Norm}},
                {"Q, K, V", seconds(by.linear(3 * dim, dim, "normed", "raw")), {Kind::Linear}},
                {"function unit",
                 seconds(by.heads("query")) + seconds(by.heads("cache")),
                 {Kind::Query, Kind::StoreKey}},
                {"scores", beside(by.heads("cache"), scores), {Kind::Scores, Kind::StoreValue}}};
    }
    const Work linear = by.linear(dim, dim, "normed", "raw");
    return {{"function unit", seconds(norm), {Kind::Norm}},
            {"Q, K", seconds(linear), {Kind::Linear}},
            {"Q, K", seconds(shared(linear, by.heads("query"))), {Kind::Linear}},
            {"V, scores",
             together(shared(linear, by.heads("cache")), by.heads("cache"), scores),
             {Kind::Query, Kind::StoreKey, Kind::Linear, Kind::Scores, Kind::StoreValue}}};
}

/// Adds norm, keys and values of a layer in a prefill. Queries are not yet rotated; that happens
/// tile by tile.
std::vector<Link> towards_tiles(const Operations& by, bool kelle)
{
    const double dim = by.shape().dim;
    const double store = seconds(by.heads("cache"));
    if (!kelle)
        return {{"function unit", seconds(by.norm()), {Kind::Norm}},
                {"Q, K, V", seconds(by.linear(3 * dim, dim, "normed", "raw")), {Kind::Linear}},
                {"function unit", 2 * store, {Kind::StoreKey, Kind::StoreValue}}};
    const Work linear = by.linear(dim, dim, "normed", "raw");
    return {{"function unit", seconds(by.norm()), {Kind::Norm}},
            {"Q, K", seconds(linear), {Kind::Linear}},
            {"Q, K", seconds(linear), {Kind::Linear}},
            {"V", seconds(shared(linear, by.heads("cache"))), {Kind::Linear, Kind::StoreKey}},
            {"function unit", store, {Kind::StoreValue}}};
}

/// Adds attention with `heads` heads at a time. Each operation waits for the previous one.
std::vector<Link> tiles(const Operations& by, double heads)
{
    std::vector<Link> links;
    double now = 0;
    for (double left = by.shape().heads; left > 0; left -= now) {
        now = std::min(heads, left);
        const Operations of_tile = by.of_heads(now);
        links.push_back({"function unit", seconds(of_tile.heads("query")), {Kind::Query}});
        links.push_back({"scores", seconds(of_tile.scores()), {Kind::Scores}});
        links.push_back({"softmax", seconds(of_tile.softmax()), {Kind::Softmax}});
        links.push_back({"values", seconds(of_tile.mix()), {Kind::Mix}});
    }
    return links;
}

std::vector<Link> attention(const Operations& by)
{
    return {{"softmax", seconds(by.softmax()), {Kind::Softmax}},
            {"values", seconds(by.mix()), {Kind::Mix}}};
}

/// Adds a product with weights whose result is added to x. The function unit performs this
/// addition, except in a tiled prefill with x in DRAM, where the array does.
void add_onto_x(std::vector<Link>& links, const Operations& by, const Link& product, double k,
                const std::string& in, bool tiled)
{
    Link link = product;
    const bool by_array = tiled && by.in_dram("x");
    link.by_hand =
        seconds(by_array ? by.linear_onto_x(k, in) : by.linear(by.shape().dim, k, in, "projected"));
    links.push_back(link);
    if (!by_array)
        links.push_back({"function unit", seconds(by.add()), {Kind::Add}});
}

std::vector<Link> rest_of_layer(const Operations& by, bool tiled)
{
    const auto& shape = by.shape();
    const double dim = shape.dim, hidden = shape.hidden;
    const std::string unit = "function unit";
    std::vector<Link> links{{unit, seconds(by.quantise()), {Kind::Quantise}}};
    add_onto_x(links, by, {"output", 0, {Kind::Linear}}, dim, "attended", tiled);
    links.push_back({unit, seconds(by.norm()), {Kind::Norm}});
    links.push_back(
        {"gate, up", seconds(by.linear(2 * hidden, dim, "normed", "expanded")), {Kind::Linear}});
    links.push_back({unit, seconds(by.activate()), {Kind::Activate}});
    add_onto_x(links, by, {"down", 0, {Kind::Linear}}, hidden, "activated", tiled);
    return links;
}

void add_layers(Comparison& comparison, const Operations& by, bool kelle)
{
    comparison.add({{"function unit", seconds(by.embed()), {Kind::Embed}}});
    for (double layer = 0; layer < by.shape().layers; ++layer) {
        comparison.add(towards_attention(by, kelle));
        comparison.add(attention(by));
        comparison.add(rest_of_layer(by, false));
    }
}

void add_tiled_layers(Comparison& comparison, const Operations& by, bool kelle, double heads)
{
    comparison.add({{"function unit", seconds(by.embed()), {Kind::Embed}}});
    for (double layer = 0; layer < by.shape().layers; ++layer) {
        comparison.add(towards_tiles(by, kelle));
        comparison.add(tiles(by, heads));
        comparison.add(rest_of_layer(by, true));
    }
}

void add_end(Comparison& comparison, const Operations& by)
{
    const auto& shape = by.shape();
    comparison.add({{"function unit", seconds(by.norm(by.entries())), {Kind::Norm}},
                    {"classifier",
                     seconds(by.linear(shape.vocab, shape.dim, "normed", "logits", by.entries())),
                     {Kind::Linear}},
                    {"function unit", seconds(by.pick()), {Kind::Pick}}});
}

struct Run {
    std::vector<Operation> operations;
    nlohmann::json metrics;
};

/// Runs the scenario with a timeline of `part`, "" for the whole run.
Run run(const Workplace& place, const std::string& scenario, const std::string& part = "",
        const std::vector<std::string>& more = {})
{
    std::vector<std::string> command{"run",     "kelle/hand/" + scenario,
                                     "--quiet", "--no-report",
                                     "--trace", "timeline" + part + ":timeline.json.gz",
                                     "--out",   "out"};
    command.insert(command.end(), more.begin(), more.end());
    const Outcome outcome = place.levee(command);
    REQUIRE(outcome.code == 0);
    return {operations_of(place.path("timeline.json.gz")), place.results("out")["metrics"]};
}

void check_decode(const std::string& scenario, const Machine& machine, double batch)
{
    const Workplace place;
    const std::vector<std::string> settings{"--set", "sampling={steps: 2, chunks: 2}", "--set",
                                            "workload.batch=" +
                                                std::to_string(static_cast<int>(batch))};
    // The prefill's timeline is far longer than the step's. The part @token:1 lacks the step's
    // first operations, so it only shows when the step begins.
    const Run late = ::run(place, scenario, "@token:1", settings);
    const double step = late.metrics["decode.seconds"];
    const double begin = static_cast<double>(late.operations.front().begin_ps) * 1e-12 - step;
    const Run run = ::run(place, scenario, "@" + std::to_string(begin) + "s..", settings);
    std::size_t first = run.operations.size() - 1;
    while (run.operations[first].kind != Kind::Embed) // The step's embedding is the last one.
        --first;
    Comparison comparison(run.operations, first);
    const Operations by(machine, batch, 1, 4096);
    add_layers(comparison, by, machine.kelle);
    add_end(comparison, by);
    comparison.check(run.metrics["decode.seconds"]);
}

void check_prefill(const std::string& scenario, const Machine& machine)
{
    const Workplace place;
    const Run run = ::run(place, scenario);
    const double chunk = 32; // Value of the scenario's workload.prefill_chunk.
    Comparison comparison(run.operations, 0);
    for (double length = chunk; length <= 512; length += chunk) {
        const Operations by(machine, 1, chunk, length);
        // A head of 128 elements takes 788 bytes a query, and 6 for each key. 512 bytes are for
        // alignment.
        const double bytes = run.metrics["prefill.tile_bytes"].get<double>() - 512;
        const double heads = std::floor(bytes / (chunk * (788 + 6 * length)));
        add_tiled_layers(comparison, by, machine.kelle, heads);
        if (length == 512)
            add_end(comparison, by);
    }
    comparison.check(run.metrics["prefill.seconds"]);
}

} // namespace

TEST_CASE(
    "a decode step with 4096 tokens of context takes the time calculated by hand, on Original+SRAM")
{
    check_decode("decode_4096",
                 {24,
                  128,
                  false,
                  {},
                  {"x", "normed", "raw", "query", "scores", "probabilities", "mixed", "attended",
                   "projected", "expanded", "activated", "logits"}},
                 1);
}

TEST_CASE(
    "a decode step of 16 sequences with 4096 tokens takes the time calculated by hand, on Kelle")
{
    check_decode("decode_4096_kelle",
                 {32, 256, true, {"normed"}, {"attended", "activated", "query"}}, 16);
}

TEST_CASE("a prefill of 512 tokens takes the time calculated by hand, on Original+SRAM")
{
    check_prefill("prefill_512", {24,
                                  128,
                                  false,
                                  {},
                                  {"x", "normed", "query", "scores", "probabilities", "attended",
                                   "projected", "activated"}});
}

TEST_CASE("a prefill of 512 tokens takes the time calculated by hand, on Kelle")
{
    check_prefill("prefill_512_kelle",
                  {32,
                   256,
                   true,
                   {},
                   {"normed", "query", "scores", "probabilities", "attended", "activated"}});
}
