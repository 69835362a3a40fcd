// SPDX-License-Identifier: Apache-2.0
#include "platform/run/inputs.hpp"

#include "core/config/regular_file.hpp"
#include "core/numerics/tensor.hpp"
#include "platform/input/workload/model.hpp"
#include "platform/observe/energy/accounting.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/run/machine_parts.hpp"
#include "platform/run/run_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
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

/// Firmware that works on text finds no model without a text, since both are placed together.
void check_text(const config::WorkloadConfig& workload)
{
    constexpr std::array on_text{"generate", "perplexity", "recall", "serve"};
    if (!workload.has_text &&
        std::ranges::any_of(on_text, [&](const char* app) { return workload.app == app; }))
        throw config::Error(workload.place,
                            "'workload.app' is " + workload.app +
                                ", and there is nothing to work on; expected 'prompts', "
                                "'prompt_ids', 'chat', 'prompt_file', 'prompt_tokens', "
                                "'text_file', 'stories_file', 'turns' or 'requests'");
}

/// Reads all bytes of --stdin in advance, since the program may take them at any time.
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
        throw std::runtime_error("--stdin: " + file + " is larger than 64 MiB; expected less");
    return bytes;
}

/// The files that the command line has the run write.
std::vector<NamedFile> named_files(const RunInputs& inputs)
{
    std::vector<NamedFile> files = trace_files(inputs.traces, inputs.folder);
    if (inputs.request.record_decisions)
        files.push_back({"--record-decisions", *inputs.request.record_decisions});
    return files;
}

/// The files that the run reads.
std::vector<std::filesystem::path> files_read(const RunInputs& inputs)
{
    std::vector<std::filesystem::path> files = inputs.scenario.files;
    files.emplace_back(inputs.program.name);
    for (const auto* const file :
         {&inputs.request.elf, &inputs.request.script, &inputs.request.input})
        if (*file)
            files.push_back(**file);
    return files;
}

/// Refuses a model whose rows of weights exceed the length of an array's sums, if no other
/// component keeps weights.
void check_widths(const SystemPlan& plan, const config::Place& place, const ModelShape& shape)
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
                throw config::Error(place, "the model's " + std::string(name) + " is " +
                                               std::to_string(width) + ", and '" + component.name +
                                               "' adds up at most " +
                                               std::to_string(component.plan.most_inner) +
                                               " products; expected a model with rows of so many "
                                               "weights, or another machine");
}

/// Refuses matrices that are too large for one operation, in the form in which operations read
/// them.
void check_matrices(const config::Place& place, const ModelImage& model)
{
    ModelShape shape = model.shape();
    shape.layers = 1; // All layers are alike.
    for (const TensorGroup& group : required_tensors(shape)) {
        const TensorSpec& first = group.front();
        const bool is_product = first.kind != LEVEE_TENSOR_EMBEDDING || shape.tied;
        if (first.role != TensorRole::matrix || !is_product)
            continue;
        std::uint64_t bytes = 0;
        for (const TensorSpec& spec : group)
            bytes += spec.rows * bytes_of(spec.cols, model.weight_format().type);
        if (bytes > UINT32_MAX)
            throw config::Error(place, "the model's " + tensor_place(first.kind, first.layer) +
                                           (group.size() > 1 ? ", with those beside it," : "") +
                                           " has " + std::to_string(bytes) +
                                           " bytes; expected fewer than 4 GiB, the most that one "
                                           "operation reads");
    }
}

/// Refuses a model for which no operations exist.
void check_model(const SystemPlan& plan, const config::Place& place, const ModelImage& model)
{
    check_widths(plan, place, model.shape());
    check_matrices(place, model);
}

/// Whether keys and values can be saved in a component: by a DMA engine, or in pages. Experts take
/// pages of all planes.
bool takes_saves(const PlannedComponent& component)
{
    const Placement& placement = component.plan.placement;
    if (placement.programmed && (component.roles & LEVEE_ROLE_EXPERTS) == 0)
        return true;
    return component.stores() && placement.place != MemoryPlace::TightlyCoupled &&
           placement.written_by_address && !placement.halved;
}

/// Base address of the memory for saved keys and values.
std::uint64_t save_base(const SystemPlan& plan, const config::Save& save)
{
    std::string names;
    for (const PlannedComponent& component : plan.components) {
        if (!takes_saves(component))
            continue;
        if (component.name == save.memory)
            return plan.components[plan.range_of(save.memory)].base;
        names += (names.empty() ? "" : ", ") + component.name;
    }
    throw config::Error(save.place, "'workload.save.memory' is '" + save.memory +
                                        "', which takes no copies; expected one of: " +
                                        (names.empty() ? "this system has none" : names));
}

} // namespace

// The order of members is the order in which errors in the input are reported.
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
    if (computes && !request.elf)
        check_parts(plan, scenario, *work.model, work.prepared->context);
    if (computes && scenario.workload->save)
        work.prepared->save_base = save_base(plan, *scenario.workload->save);
    if (computes)
        check_model(plan, scenario.model->place, *work.model);
    if (computes && work.draft)
        check_model(plan, scenario.workload->speculation->draft->place, *work.draft);
    if (!request.allow_outside)
        config::check_outputs(scenario.observe, folder);
    check_names(scenario.observe, named_files(*this), files_read(*this), folder);
}

} // namespace levee
