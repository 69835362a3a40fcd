// SPDX-License-Identifier: Apache-2.0
#include "platform/run/inputs.hpp"

#include "core/config/regular_file.hpp"
#include "core/numerics/tensor.hpp"
#include "platform/input/workload/model.hpp"
#include "platform/observe/energy/accounting.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/run/machine_parts.hpp"
#include "platform/run/requests.hpp"
#include "platform/run/run_files.hpp"
#include "platform/run/save_place.hpp"
#include "platform/run/traces.hpp"
#include "platform/run/turns.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>

namespace levee {

namespace {

config::Scenario load_scenario(const RunRequest& request)
{
    if (request.source != nullptr)
        return request.source->load(request.overrides, request.seed);
    const config::FileFinder finder(scenarios_folder(), config::reach(request.allow_outside));
    return config::load_scenario({request.scenario, request.overrides, request.seed}, finder);
}

std::optional<config::WavesConfig> waves_of(const RunRequest& request,
                                            const config::Scenario& scenario)
{
    std::optional<config::WavesConfig> waves = scenario.observe.waves;
    if (!request.waves.empty()) {
        try {
            const config::WavesConfig window = config::parse_wave_window(request.waves);
            waves = {window.from_ps, window.to_ps, window.format};
        } catch (const std::invalid_argument& error) {
            throw std::runtime_error(std::string("--waves: ") + error.what());
        }
    }
    return waves;
}

config::WaveFormat wave_format_of(const RunRequest& request, const config::Scenario& scenario)
{
    if (!request.waves_format.empty())
        return request.waves_format == "vcd" ? config::WaveFormat::Vcd : config::WaveFormat::Fst;
    return scenario.observe.waves ? scenario.observe.waves->format : config::WaveFormat::Fst;
}

/// Throws if firmware that works on text has no text. Such firmware would also lack its model,
/// since model and text are placed together.
void check_text(const config::WorkloadConfig& workload)
{
    constexpr std::array on_text{"generate", "perplexity", "recall", "serve"};
    if (!workload.has_text &&
        std::ranges::any_of(on_text, [&](const char* app) { return workload.app == app; }))
        throw config::Error(workload.place,
                            "'workload.app' is " + workload.app +
                                ", but the workload has no text; expected 'prompts', "
                                "'prompt_ids', 'chat', 'prompt_file', 'prompt_tokens', "
                                "'text_file', 'stories_file', 'turns' or 'requests'");
}

/// Reads all bytes of --stdin before the run, since the program may read them at any time.
std::string read_input(const RunRequest& request)
{
    constexpr std::size_t most = std::size_t{64} << 20;
    if (!request.input)
        return "";
    const std::string file = config::in_quotes(request.input->string());
    std::ifstream stream = config::regular_stream(*request.input);
    if (!stream)
        throw std::runtime_error("--stdin: " + file + " " + config::why_unreadable(*request.input));
    std::string bytes(most + 1, '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (stream.bad())
        throw std::runtime_error("--stdin: " + file + " cannot be read; expected a file");
    bytes.resize(static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > most)
        throw std::runtime_error("--stdin: " + file +
                                 " is larger than 64 MiB; expected a smaller file");
    return bytes;
}

/// Returns the output files that the command line requests.
std::vector<NamedFile> named_files(const RunInputs& inputs)
{
    std::vector<NamedFile> files = trace_files(inputs.traces, inputs.folder);
    if (inputs.request.record_decisions)
        files.push_back({"--record-decisions", *inputs.request.record_decisions});
    return files;
}

/// Returns the files that the run reads.
std::vector<std::filesystem::path> files_read(const RunInputs& inputs)
{
    std::vector<std::filesystem::path> files = inputs.scenario.files;
    files.insert(files.end(), inputs.scenario.sources.begin(), inputs.scenario.sources.end());
    files.emplace_back(inputs.program.name);
    for (const auto* const file :
         {&inputs.request.elf, &inputs.request.script, &inputs.request.input})
        if (*file)
            files.push_back(**file);
    return files;
}

/// Returns the names of the files that the run writes into its folder without a request.
std::vector<std::string> files_written(const RunInputs& inputs)
{
    std::vector<std::string> files(result_files.begin(), result_files.end());
    const auto add = [&](bool is_written, std::initializer_list<const char*> names) {
        if (is_written)
            files.insert(files.end(), names.begin(), names.end());
    };
    const bool has_blocks =
        std::ranges::any_of(inputs.plan.components, [](const PlannedComponent& component) {
            return component.declaration().operation_bytes != 0;
        });
    add(has_blocks, {"bounds.csv", "roofline.csv"});
    add(inputs.work.samples.has_value(), {"sampling.csv"});
    add(Turns::is_wanted(inputs), {"turns.csv"});
    add(RequestTimes::is_wanted(inputs), {"requests.csv"});
    add(Profiler::is_wanted(inputs), {"profile.txt", "profile.folded"});
    std::ranges::move(energy::table_names(inputs.prices), std::back_inserter(files));
    return files;
}

const char* whose(const config::ModelConfig& config)
{
    return config.is_draft() ? "the draft's " : "the model's ";
}

/// Refuses a model whose rows of weights are longer than the sums that an array can accumulate,
/// unless another component stores the weights.
void check_widths(const SystemPlan& plan, const config::ModelConfig& config,
                  const ModelShape& shape)
{
    if (std::ranges::any_of(plan.components, [](const PlannedComponent& component) {
            return component.plan.keep != nullptr;
        }))
        return;
    const std::pair<const char*, std::uint64_t> widths[] = {
        {"dim", shape.dim},
        {"hidden", shape.hidden},
        {"shared_hidden", shape.shared_hidden},
        {"dense_hidden", shape.dense_hidden},
        {"query_latent", shape.query_latent},
        {shape.kv_latent != 0 ? "heads * value_dim" : "heads * head_dim",
         std::uint64_t{shape.heads} * shape.head_result()}};
    for (const PlannedComponent& component : plan.components)
        for (const auto& [name, width] : widths)
            if (component.plan.most_inner != 0 && width > component.plan.most_inner)
                throw config::Error(
                    config.place, whose(config) + std::string(name) + " is " +
                                      std::to_string(width) + ", and '" + component.name +
                                      "' adds up at most " +
                                      std::to_string(component.plan.most_inner) +
                                      " products; expected a model with rows of at most this many "
                                      "weights, or another machine");
}

/// Refuses matrices that are too large for one operation. Sizes are those in the format that
/// operations read.
void check_matrices(const config::ModelConfig& config, const ModelImage& model)
{
    ModelShape shape = model.shape();
    shape.layers = 1; // all layers have the same matrices
    for (const TensorGroup& group : required_tensors(shape)) {
        const TensorSpec& first = group.front();
        const bool is_product = first.kind != LEVEE_TENSOR_EMBEDDING || shape.tied;
        if (first.role != TensorRole::matrix || !is_product)
            continue;
        std::uint64_t bytes = 0;
        for (const TensorSpec& spec : group)
            bytes += spec.rows * bytes_of(spec.cols, model.weight_format().type);
        if (bytes > UINT32_MAX)
            throw config::Error(
                config.place,
                whose(config) + tensor_place(first.kind, first.layer) +
                    (group.size() > 1 ? ", with the tensors that are read together with it," : "") +
                    " has " + std::to_string(bytes) +
                    " bytes; expected fewer than 4 GiB, the most that one "
                    "operation reads");
    }
}

/// Refuses a model with rows or matrices that are too large for the machine's operations.
void check_model(const SystemPlan& plan, const config::ModelConfig& config, const ModelImage& model)
{
    check_widths(plan, config, model.shape());
    check_matrices(config, model);
}

} // namespace

// The members are in the order in which errors in the input are reported.
RunInputs::RunInputs(const RunRequest& asked)
    : request(asked), traces(plan_traces(request)), checks(checks::read_checks(request.checks)),
      scenario(load_scenario(request)), plan(plan_system_of(scenario)),
      prices(energy::read_price_lists(scenario, plan)), program(load_program(request, scenario)),
      work(prepare_work(scenario)), input(read_input(request)),
      folder(request.out.value_or(std::filesystem::path("out") / scenario.name)),
      waves(waves_of(request, scenario)), wave_format(wave_format_of(request, scenario))
{
    if (scenario.workload && !request.elf)
        check_text(*scenario.workload);
    const bool computes = work.model && scenario.workload && scenario.workload->has_text;
    if (computes && !request.elf) {
        check_parts(plan, scenario, *work.model, work.prepared->context);
        check_hadamard(scenario, *scenario.model, *work.model);
        if (work.draft)
            check_hadamard(scenario, *scenario.workload->speculation->draft, *work.draft);
    }
    if (computes && scenario.workload->save)
        work.prepared->save_base = save_base(plan, *scenario.workload->save);
    if (computes)
        check_model(plan, *scenario.model, *work.model);
    if (computes && work.draft)
        check_model(plan, *scenario.workload->speculation->draft, *work.draft);
    if (!request.allow_outside)
        config::check_outputs(scenario.observe, folder);
    check_names(scenario.observe, named_files(*this), {files_read(*this), files_written(*this)},
                folder);
}

} // namespace levee
