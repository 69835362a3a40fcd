// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/profile/profile.hpp"

#include "core/config/error.hpp"
#include "platform/input/config/kv_cache.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/run/inputs.hpp"
#include "platform/studies/profile/measured.hpp"
#include "platform/studies/profile/refine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace levee::profile_export {

namespace {

/// These files define the format: docs/docs/profiler/output-bundle.md and
/// serving/core/trace_generator.py of casys-kaist/LLMServingSim, at this commit.
constexpr const char* defined_by =
    "casys-kaist/LLMServingSim 5daddb21a545658d5150b535712d0494584b5278";

/// The layers of LLMServingSim's catalogue `llama`. The exported profile gives all their times to
/// `attention`, and 0 to these layers.
constexpr std::array dense_layers{"embedding",  "layernorm", "qkv_proj",
                                  "rotary_emb", "o_proj",    "gate_up_proj",
                                  "act_fn",     "down_proj", "final_layernorm"};
constexpr std::array sequence_layers{"lm_head", "sampler"};

constexpr std::uint32_t least_point = 16; ///< smallest point of a grid that doubles

void sort(std::vector<std::uint32_t>& values)
{
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Returns `first`, its doubles below `last`, and then `last`.
std::vector<std::uint32_t> doubled(std::uint32_t first, std::uint32_t last)
{
    std::vector<std::uint32_t> values;
    for (std::uint64_t value = first; value < last; value *= 2)
        values.push_back(static_cast<std::uint32_t>(value));
    values.push_back(last);
    return values;
}

/// Throws if a pass's time depends on more than batch and context, since a profile cannot express
/// it.
void check(const config::Scenario& scenario)
{
    const auto kind = scenario.kv_cache.boot.kv.kind;
    if (!config::keeps_all(kind))
        throw config::Error(scenario.workload->place,
                            std::string("kv_cache.policy '") + config::kv_rule(kind).name +
                                "' evicts tokens, so a pass's time depends on earlier passes; "
                                "'export profile' expects 'full'");
    if (scenario.workload->prefill_chunk == 0)
        throw config::Error(scenario.workload->place,
                            "'workload.prefill_chunk' is missing; 'export profile' needs it, since "
                            "a profile has the times of prefill chunks");
}

void check_model(const RunInputs& inputs)
{
    if (inputs.work.model && inputs.work.model->shape().experts != 0)
        throw config::Error(
            inputs.scenario.workload->place,
            "the model's experts are drawn at random in each pass, so a pass's time depends on "
            "more than batch and context; 'export profile' expects a model without experts");
}

void check_points(const std::vector<std::uint32_t>& values, std::uint32_t most, const char* option)
{
    for (const std::uint32_t value : values)
        if (value == 0 || value > most)
            throw config::Error(std::string(option) + ": " + std::to_string(value) +
                                " is not possible in this scenario; expected 1 to " +
                                std::to_string(most));
}

/// Returns the largest context before a decode step: `workload.context` - 1 or, if the workload
/// states none, the largest of --context.
std::uint32_t context_of(const Request& request, const config::WorkloadConfig& workload)
{
    if (workload.context > 1)
        return workload.context - 1;
    if (request.contexts.empty())
        throw config::Error(workload.place,
                            "'workload.context' is missing; 'export profile' needs this key or "
                            "the option --context");
    return std::ranges::max(request.contexts);
}

/// Returns the largest chunk: no prompt is longer than the largest context.
std::uint32_t chunk_of(const Request& request, const config::WorkloadConfig& workload)
{
    return std::min(workload.prefill_chunk, context_of(request, workload));
}

/// Returns contexts before a prefill pass: passes begin at multiples of the chunk, and their time
/// has kinks where a tile of keys ends.
std::vector<std::uint32_t> before_prefills(std::uint32_t chunk, std::uint32_t context)
{
    std::vector<std::uint32_t> values{0};
    if (context < 2 * chunk)
        return values;
    const std::uint32_t last = context / chunk - 1;
    for (const std::uint32_t chunks : doubled(1, last))
        values.push_back(chunks * chunk);
    return values;
}

/// Returns the keys of the workload that the scenario sets.
std::vector<std::string> given(const config::Scenario& scenario,
                               std::initializer_list<const char*> keys)
{
    std::vector<std::string> found;
    const config::Node* workload = scenario.resolved.find("workload");
    for (const char* key : keys)
        if (workload != nullptr && workload->find(key) != nullptr)
            found.emplace_back(key);
    return found;
}

Grid grid_of(const Request& request, const config::WorkloadConfig& workload)
{
    const std::uint32_t context = context_of(request, workload);
    const std::uint32_t chunk = chunk_of(request, workload);
    check_points(request.chunks, chunk, "--chunk");
    check_points(request.contexts, context, "--context");
    Grid grid{request.batches, request.contexts, request.chunks, before_prefills(chunk, context)};
    if (grid.batches.empty())
        grid.batches = doubled(1, workload.batch);
    if (grid.contexts.empty())
        grid.contexts = doubled(std::min(least_point, context), context);
    if (grid.chunks.empty())
        grid.chunks = doubled(std::min(least_point, chunk), chunk);
    grid.contexts.push_back(1); // sampling must include the first step
    sort(grid.batches);
    sort(grid.contexts);
    sort(grid.chunks);
    return grid;
}

constexpr double most_error = 0.01; ///< largest error of linear interpolation in the middle of a
                                    ///< gap

std::map<std::uint32_t, std::uint64_t> first_of(const std::map<Measured::Pair, std::uint64_t>& all)
{
    std::map<std::uint32_t, std::uint64_t> times;
    for (const auto& [point, ps] : all)
        times[point.first] = ps;
    return times;
}

std::map<std::uint32_t, std::uint64_t> second_of(const std::map<Measured::Pair, std::uint64_t>& all)
{
    std::map<std::uint32_t, std::uint64_t> times;
    for (const auto& [point, ps] : all)
        times[point.second] = ps;
    return times;
}

/// Adds points at the kinks of each axis that the command line does not give. It looks for them at
/// the largest value of the other axis, where the time depends most on this axis.
void add_kinks(const Request& request, std::uint32_t chunk, Grid& grid)
{
    using Points = std::vector<std::uint32_t>;
    const auto refined = [&](Points& points, std::uint32_t unit, const auto& grid_at,
                             const auto& times_of) {
        refine(points, unit, most_error, [&](const Points& some) {
            return times_of(measure(request, grid_at(some), chunk));
        });
    };
    const std::uint32_t most = grid.contexts.back();
    const auto of_step = [](auto pick) {
        return [pick](const Measured& measured) { return pick(measured.steps); };
    };
    const auto of_prefill = [](auto pick) {
        return [pick](const Measured& measured) { return pick(measured.prefills); };
    };
    if (request.batches.empty())
        refined(
            grid.batches, 1,
            [&](const Points& some) {
                return Grid{some, {1, most}, {}, {}};
            },
            of_step(first_of));
    if (request.contexts.empty())
        refined(
            grid.contexts, 1,
            [&](Points some) {
                some.push_back(1);
                sort(some);
                return Grid{{grid.batches.back()}, some, {}, {}};
            },
            of_step(second_of));
    if (request.chunks.empty())
        refined(
            grid.chunks, 1,
            [&](const Points& some) {
                return Grid{{}, {}, some, {0}};
            },
            of_prefill(first_of));
    refined(
        grid.before, chunk,
        [&](const Points& some) {
            return Grid{{}, {}, {grid.chunks.back()}, some};
        },
        of_prefill(second_of));
}

/// Returns the time of one layer in microseconds: the pass's time divided by the number of layers.
std::string layer_us(std::uint64_t ps, std::uint32_t layers)
{
    constexpr double ps_per_us = 1e6;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g",
                  static_cast<double>(ps) / ps_per_us / static_cast<double>(layers));
    return text.data();
}

/// Returns the table of attention times. It has all combinations of a prefill chunk and a step,
/// which run one after the other, so that their times add up.
std::string attention(const Measured& measured, std::uint32_t layers)
{
    std::string text = "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n";
    const auto add = [&](Measured::Pair prefill, Measured::Pair step, std::uint64_t ps) {
        text += std::to_string(prefill.first) + "," + std::to_string(prefill.second) + "," +
                std::to_string(step.first) + "," + std::to_string(step.second) + "," +
                layer_us(ps, layers) + "\n";
    };
    for (const auto& [step, ps] : measured.steps)
        add({0, 0}, step, ps);
    for (const auto& [prefill, ps] : measured.prefills) {
        add(prefill, {0, 0}, ps);
        for (const auto& [step, step_ps] : measured.steps)
            add(prefill, step, ps + step_ps);
    }
    return text;
}

template <std::size_t Count>
std::string zeros(const std::array<const char*, Count>& layers, const char* column)
{
    std::string text = std::string("layer,") + column + ",time_us\n";
    for (const char* layer : layers)
        text += std::string(layer) + ",1,0\n";
    return text;
}

std::string list_of(const std::vector<std::uint32_t>& values)
{
    std::string text;
    for (const std::uint32_t value : values)
        text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "[" + text + "]";
}

std::string in_yaml(const std::string& text)
{
    std::string quoted;
    for (const char c : text)
        quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return "'" + quoted + "'";
}

std::string meta(const Request& request, const Grid& grid, const RunInputs& inputs)
{
    std::string overrides;
    for (const std::string& one : request.overrides)
        overrides += (overrides.empty() ? "" : ", ") + in_yaml(one);
    return "profiler_version: " + in_yaml("levee " + version()) + "\nvllm_version: 'n/a'\n" +
           "format: " + in_yaml(defined_by) +
           "\ngpu: 'n/a'\nhardware: " + in_yaml(request.hardware) +
           "\nmodel: " + in_yaml(request.model) + "\nvariant: " + in_yaml(request.variant) +
           "\narchitecture: llama\ntp_degrees: [1]\n" +
           "engine_effective:\n  max_num_batched_tokens: " + std::to_string(grid.chunks.back()) +
           "\n  max_num_seqs: " + std::to_string(grid.batches.back()) +
           "\nskew_fit:\n  enabled: false\nlevee:\n  scenario: " + in_yaml(request.scenario) +
           "\n  overrides: [" + overrides +
           "]\n  layers: " + std::to_string(inputs.work.model->shape().layers) +
           "\n  n_decode: " + list_of(grid.batches) + "\n  kv_decode: " + list_of(grid.contexts) +
           "\n  prefill_chunk: " + list_of(grid.chunks) +
           "\n  kv_prefill: " + list_of(grid.before) + "\n";
}

} // namespace

int export_profile(const Request& asked)
{
    Request request = asked;
    const config::FileFinder finder(scenarios_folder(), config::reach(request.allow_outside));
    const config::Scenario scenario =
        config::load_scenario({request.scenario, request.overrides, std::nullopt}, finder);
    if (!scenario.workload)
        throw config::Error(request.scenario + " has no workload; 'export profile' expects one");
    request.unset =
        given(scenario, {"prompts", "prompt_ids", "chat", "template", "turns", "requests",
                         "prompt_file", "text_file", "stories_file", "speculation", "temperature",
                         "sequences", "separator", "max_tokens", "max_stories", "prefill_tokens"});
    check(scenario);
    RunRequest first;
    first.scenario = request.scenario;
    first.allow_outside = request.allow_outside;
    first.overrides = generating(request, 1, 1, 1);
    first.overrides.emplace_back("sampling=off");
    const RunInputs inputs(first);
    check_model(inputs);
    Grid grid = grid_of(request, *scenario.workload);
    if (request.hardware.empty())
        request.hardware = inputs.plan.config.name;
    if (request.model.empty())
        request.model = inputs.scenario.name;
    const std::uint32_t chunk = chunk_of(request, *inputs.scenario.workload);
    add_kinks(request, chunk, grid);
    const Measured measured = measure(request, grid, chunk);
    const std::filesystem::path folder =
        request.out / request.hardware / request.model / request.variant;
    const std::uint32_t layers = inputs.work.model->shape().layers;
    const OutputFolder tables(folder / "tp1");
    tables.write("attention.csv", attention(measured, layers));
    tables.write("dense.csv", zeros(dense_layers, "tokens"));
    tables.write("per_sequence.csv", zeros(sequence_layers, "sequences"));
    OutputFolder(folder).write("meta.yaml", meta(request, grid, inputs));
    std::printf("%zu steps and %zu prefill passes in %s\n", measured.steps.size(),
                measured.prefills.size(), folder.c_str());
    return 0;
}

} // namespace levee::profile_export
