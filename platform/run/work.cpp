// SPDX-License-Identifier: Apache-2.0
#include "platform/run/work.hpp"

#include "core/config/quantity.hpp"
#include "platform/input/model/memory_form.hpp"
#include "platform/input/workload/model.hpp"
#include "platform/run/sampling/plan.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee {

namespace {

constexpr std::uint64_t likely_chunk =
    64; // the usual choice of the firmware (firmware/target/placing_open.c)

void check_room(const PlannedComponent& memory, std::uint64_t size, std::uint64_t needed,
                const std::string& what = "the model and its prompts need ")
{
    if (needed <= size)
        return;
    const auto text = [](std::uint64_t bytes) {
        return config::format_quantity(bytes, config::Dimension::Size);
    };
    const bool may_warn = memory.plan.placement.place == MemoryPlace::OffChip &&
                          memory.plan.placement.written_by_address;
    throw config::Error(
        memory.place,
        "'system.memories." + memory.name + "' has " + text(size) + "; " + what + text(needed) +
            (may_warn ? "; expected a larger 'size', or 'allow_overcommit: true' for a warning only"
                      : ""));
}

/// Returns the number of marks for a batch: one for each chunk of each entry, and one for each
/// step, which all entries share.
std::uint64_t marks_of_batch(std::span<const EncodedSequence> entries, std::uint64_t chunk,
                             std::uint64_t fed_back)
{
    std::uint64_t chunks = 0, steps = 0;
    for (const EncodedSequence& entry : entries) {
        chunks += (entry.prefill_count + chunk - 1) / chunk;
        steps = std::max<std::uint64_t>(steps, entry.tokens.size() - entry.prefill_count);
    }
    return chunks + steps + fed_back;
}

/// Returns whether the model's experts are in a separate memory.
bool has_experts_apart(const SystemPlan& plan, const ModelImage& model)
{
    return model.shape().experts != 0 && plan.memory_for(LEVEE_ROLE_EXPERTS) != nullptr;
}

/// Loads the layers' matrices into the memory with the role `weights`, if there is one. Returns the
/// rest of the image, for the memory with the role `model`. Returns nothing if that memory gets the
/// whole image, because no other memory has the matrices or the experts.
std::optional<MemoryImage> place_kept(System& system, const SystemPlan& plan,
                                      const ModelImage& model, std::vector<std::uint64_t>& free)
{
    const PlannedComponent* keeper = plan.memory_for(LEVEE_ROLE_WEIGHTS);
    const bool apart = has_experts_apart(plan, model);
    if (!keeper)
        return apart ? std::optional(memory_image(model, {}, true)) : std::nullopt;
    const auto index = static_cast<std::size_t>(keeper - plan.components.data());
    const KeptMatrices kept =
        keeper->plan.keep(layer_matrices(model, apart),
                          [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
                              system.load(index, offset, bytes);
                          });
    free[index] = (kept.bytes + 4095) / 4096 * 4096;
    return memory_image(model, kept.records, apart);
}

/// Returns the component with copies of experts, or null.
const PlannedComponent* cache_of_experts(const SystemPlan& plan)
{
    const auto found = std::ranges::find_if(plan.components, [](const PlannedComponent& memory) {
        return memory.plan.copies.has_value();
    });
    return found == plan.components.end() ? nullptr : &*found;
}

/// Throws config::Error if there is a cache of experts but the model has no experts.
void check_cached(const SystemPlan& plan, const ModelImage& model)
{
    const PlannedComponent* const cache = cache_of_experts(plan);
    if (cache != nullptr && !has_experts_apart(plan, model))
        throw config::Error(cache->place, "'system.memories." + cache->name +
                                              "' has copies of experts, but model '" +
                                              model.name() +
                                              "' has no experts; expected a mixture of experts");
}

/// Reserves memory for copies of experts. The originals begin at `first` in the memory with the
/// role `experts`. Returns the address at which experts are read.
std::uint64_t cached_experts(System& system, const SystemPlan& plan, const ModelImage& model,
                             std::uint64_t first, std::vector<std::uint64_t>& free)
{
    const std::uint64_t base = plan.memory_for(LEVEE_ROLE_EXPERTS)->base;
    const PlannedComponent* const cache = cache_of_experts(plan);
    if (cache == nullptr)
        return base;
    const ExpertCopies& copies = *cache->plan.copies;
    const std::size_t at = plan.range_of(copies.memory);
    const PlannedComponent& memory = plan.components[at];
    const std::uint64_t end = free[at] + copies.bytes;
    check_room(memory, plan.ways_at(at) * memory.plan.placement.size_bytes, end,
               "with the copies of experts in '" + cache->name + "' it needs ");
    system.components()[static_cast<std::size_t>(cache - plan.components.data())].hold_experts(
        expert_matrices(model, first), {base, memory.base + free[at], copies.bytes});
    free[at] = (end + 4095) / 4096 * 4096;
    return cache->base;
}

/// Loads the experts' matrices into their memory, and writes their addresses into the image.
void place_experts(System& system, const SystemPlan& plan, const ModelImage& model,
                   std::uint64_t model_address, std::vector<std::uint64_t>& free,
                   MemoryImage& image)
{
    const PlannedComponent* memory = plan.memory_for(LEVEE_ROLE_EXPERTS);
    if (!has_experts_apart(plan, model))
        return;
    const auto index = static_cast<std::size_t>(memory - plan.components.data());
    const std::uint64_t first = free[index];
    const std::uint64_t end =
        place_experts(model, first, [&](std::uint64_t, std::span<const std::uint8_t>) {});
    check_room(*memory, plan.ways_at(index) * memory->plan.placement.size_bytes, end,
               "the model's experts need ");
    (void)place_experts(model, first,
                        [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
                            system.load(index, offset, bytes);
                        });
    free[index] = (end + 4095) / 4096 * 4096;
    point_to_experts(image, model_address,
                     {cached_experts(system, plan, model, first, free), first});
}

MemoryImage stored_columns_first(const config::ModelConfig& config, const ModelImage& model)
{
    try {
        return columns_first_image(model, config.form.columns_first);
    } catch (const ModelError& error) {
        throw config::Error(config.form_place,
                            (config.is_draft() ? "'" + config.path + "': " : "") + error.what() +
                                "; '" + config.path + ".weights: fp16' converts them");
    }
}

/// Returns the contents of the memory with the role `model` if they differ from the image;
/// otherwise nothing.
std::optional<MemoryImage> place_matrices(System& system, const SystemPlan& plan,
                                          const config::ModelConfig& config,
                                          const ModelImage& model, std::vector<std::uint64_t>& free)
{
    if (config.form.columns_first.empty())
        return place_kept(system, plan, model, free);
    if (plan.memory_for(LEVEE_ROLE_WEIGHTS) || has_experts_apart(plan, model))
        throw config::Error(config.form_place,
                            "'model.columns_first' is given, but in this system the memory with "
                            "the role 'weights' or 'experts' has its own form of matrices");
    return stored_columns_first(config, model);
}

} // namespace

namespace {

/// If the budget is given as `ratio`, computes it from the prompts' lengths.
void set_budget(config::Scenario& scenario, const PreparedWorkload* prepared)
{
    config::KvCacheConfig& kv_cache = scenario.kv_cache;
    if (kv_cache.ratio == 0 || config::keeps_all(kv_cache.boot.kv.kind))
        return;
    std::vector<std::uint32_t> lengths;
    for (std::size_t i = 0; prepared != nullptr && i < prepared->sequences.size(); ++i)
        lengths.push_back(prepared->sequences[i].prefill_count);
    if (lengths.empty())
        throw config::Error(kv_cache.place,
                            "'kv_cache.ratio' is a share of the prompt's length, but "
                            "there is no prompt; expected 'kv_cache.budget'");
    kv_cache.boot.kv.budget = config::budget_of(kv_cache, lengths);
}

/// Opens the draft model. Its guesses are token ids, which must mean the same in both models.
ModelImage open_draft(const config::ModelConfig& config, const Work& work)
{
    ModelImage draft = open_model(config);
    const std::string name = "'workload.speculation.draft'";
    const std::uint32_t vocab = work.model->shape().vocab, context = work.prepared->context;
    if (draft.shape().vocab != vocab)
        throw config::Error(config.place,
                            name + " has a vocabulary of " + std::to_string(draft.shape().vocab) +
                                " tokens, but the model has one of " + std::to_string(vocab) +
                                "; expected the same, since guesses are token ids");
    if (draft.shape().max_context < context)
        throw config::Error(
            config.place, name + " supports at most " + std::to_string(draft.shape().max_context) +
                              " tokens, but 'workload.context' is " + std::to_string(context) +
                              "; expected a draft with at least this context");
    if (const std::uint32_t window = draft.shape().window; window != 0 && window < context)
        throw config::Error(config.place, name + " has layers that attend only to the last " +
                                              std::to_string(window) +
                                              " tokens, so wrong guesses cannot be removed; "
                                              "expected 'workload.context' of at most " +
                                              std::to_string(window) + ", or another draft");
    return draft;
}

} // namespace

Work prepare_work(config::Scenario& scenario)
{
    Work work;
    if (!scenario.model) {
        if (scenario.workload && scenario.workload->has_text)
            throw config::Error(scenario.workload->text_place,
                                "'workload:' has a text but there is no model; expected 'model:'");
        return work;
    }
    work.model = open_model(*scenario.model);
    if (scenario.workload && scenario.workload->has_text)
        work.prepared = prepare_workload(*scenario.workload, *work.model,
                                         config::keeps_all(scenario.kv_cache.boot.kv.kind));
    if (work.prepared && scenario.workload->speculation && scenario.workload->speculation->draft)
        work.draft = open_draft(*scenario.workload->speculation->draft, work);
    set_budget(scenario, work.prepared ? &*work.prepared : nullptr);
    if (scenario.sampling) {
        if (!work.prepared)
            throw config::Error(
                scenario.sampling->place,
                "'sampling' is given, but no text to sample; expected 'workload:' with a text");
        work.samples = sampling::make_plan(*scenario.sampling, scenario, *work.prepared,
                                           work.model->shape().window);
        sampling::list_samples(*work.samples, *work.prepared);
    }
    return work;
}

std::uint64_t marks_ahead(const config::Scenario& scenario, const Work& work)
{
    if (!work.prepared)
        return 0;
    if (work.samples)
        return work.samples->chunks_done() + work.samples->done_steps.size();
    if (!work.prepared->requests.empty())
        return 0; // the arrivals determine how many sequences run together
    const std::span<const EncodedSequence> all = work.prepared->sequences;
    const bool streams = scenario.workload->app == "generate" && all.size() == 1;
    if (streams && work.model->tokenizer().vocab() != 0)
        return 0;
    const std::uint32_t most_new = scenario.workload->max_new_tokens;
    const std::uint32_t chunk =
        scenario.workload->prefill_chunk ? scenario.workload->prefill_chunk : likely_chunk;
    std::uint64_t marks = 0;
    for (const EncodedTurn& turn : work.prepared->turns)
        marks += (turn.tokens.size() + chunk) / chunk + turn.max_new_tokens;
    if (marks != 0)
        return marks;
    for (std::size_t first = 0; first < all.size(); first += work.prepared->batch)
        marks += marks_of_batch(
            all.subspan(first, std::min<std::size_t>(work.prepared->batch, all.size() - first)),
            chunk, most_new ? most_new - 1 : 0);
    return marks;
}

namespace {

/// Returns the first free byte of each memory after a program's segments, except for the tightly
/// coupled memory.
std::vector<std::uint64_t> ends_of(const ElfImage& program, const SystemPlan& plan)
{
    std::vector<std::uint64_t> ends(plan.components.size(), 0);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const PlannedComponent& memory = plan.components[i];
        if (memory.plan.placement.place == MemoryPlace::TightlyCoupled)
            continue;
        for (const ElfSegment& segment : program.segments)
            if (const std::uint32_t offset = segment.address - memory.core_base;
                segment.address >= memory.core_base && offset < memory.core_size)
                ends[i] = std::max(ends[i], (std::uint64_t{offset} + segment.memory_bytes + 4095) /
                                                4096 * 4096);
    }
    return ends;
}

/// Offsets of a draft in the model's memory: its header and table, and its tensors.
struct DraftPlace {
    std::size_t memory = 0;
    std::uint64_t table = 0, tensors = 0;
};

/// Places the draft's two parts. Returns the end of the second, rounded up to 4 KiB. Each tensor
/// keeps its place within a page of 4 KiB.
std::uint64_t place_draft(System& system, const SystemPlan& plan, const config::ModelConfig& config,
                          const ModelImage& draft, const DraftPlace& place)
{
    const std::optional<MemoryImage> image =
        config.form.columns_first.empty() ? std::nullopt
                                          : std::optional(stored_columns_first(config, draft));
    const std::span<const std::uint8_t> bytes = image ? image->bytes : draft.bytes();
    std::vector<std::uint8_t> table(bytes.begin(), bytes.begin() + long(table_bytes(draft)));
    const std::uint64_t image_begin = place.tensors - table.size() / 4096 * 4096;
    const std::uint64_t end = image_begin + (image ? image->image_bytes : draft.image_bytes());
    check_room(plan.components[place.memory],
               plan.ways_at(place.memory) * plan.components[place.memory].plan.placement.size_bytes,
               end, "with the draft, it needs ");
    move_tensors(table, image_begin - place.table);
    system.load(place.memory, place.table, table);
    if (bytes.size() > table.size())
        system.load(place.memory, image_begin + table.size(), bytes.subspan(table.size()));
    return (end + 4095) / 4096 * 4096;
}

} // namespace

levee_boot_info place_work(System& system, const SystemPlan& plan, const config::Scenario& scenario,
                           const Work& work, const ElfImage& program)
{
    std::vector<std::uint64_t> free = ends_of(program, plan);
    levee_workload workload{};
    if (work.prepared) {
        const PlannedComponent* memory = plan.memory_for(LEVEE_ROLE_MODEL);
        if (!memory)
            throw config::Error(scenario.system.memories_place,
                                "the workload has a model, but no memory has the role "
                                "'model'; give one memory this role");
        check_cached(plan, *work.model);
        auto image = place_matrices(system, plan, *scenario.model, *work.model, free);
        const std::uint64_t bytes = image ? image->image_bytes : work.model->image_bytes();
        const auto index = static_cast<std::size_t>(memory - plan.components.data());
        const std::uint64_t begin = free[index]; // after the program, if both are in the same
                                                 // memory
        const PlacedSizes sizes{bytes, work.draft ? table_bytes(*work.draft) : 0};
        const PlacedWorkload placed =
            place_workload(*work.prepared, *scenario.workload, scenario.seed, sizes,
                           memory->base + begin, plan.config.timebase_hz);
        const std::uint64_t end = begin + placed.end;
        check_room(*memory, plan.ways_at(index) * memory->plan.placement.size_bytes, end);
        free[index] = end; // a draft and experts may follow in the same memory
        if (work.draft)
            free[index] =
                place_draft(system, plan, *scenario.workload->speculation->draft, *work.draft,
                            {index, placed.draft_offset + begin, placed.end + begin});
        if (image)
            place_experts(system, plan, *work.model, memory->base + begin + placed.model_offset,
                          free, *image);
        system.load(index, begin, placed.head);
        system.load_model(index, begin + placed.model_offset,
                          image ? image->bytes : work.model->bytes(), bytes);
        workload = placed.workload;
    }
    const config::Scheduler scheduler =
        scenario.workload ? scenario.workload->scheduler : config::Scheduler{};
    levee_boot_info boot_info =
        make_boot_info(plan, free, workload, scenario.kv_cache.boot, scheduler);
    if (work.prepared)
        set_stops(work.prepared->stops, boot_info);
    system.set_boot_info(boot_info);
    return boot_info;
}

namespace {

/// Throws if a component has already used the number of tokens to decode. Another number would then
/// have changed the prefill.
void check_prefill(const SystemPlan& plan)
{
    for (const PlannedComponent& component : plan.components)
        if (component.plan.knows_final_length)
            throw std::runtime_error(component.name +
                                     " already uses the final number of tokens in the prefill, so "
                                     "this number cannot change later");
}

/// Updates the copy of the boot information in the program's data, since the program reads this
/// copy.
void put_copy(System& system, const ElfImage& program, const levee_boot_info& boot_info)
{
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(&boot_info), sizeof boot_info);
    const auto copy = std::ranges::find_if(program.symbols, [&](const ElfSymbol& symbol) {
        return symbol.name == LEVEE_BOOT_INFO_COPY && symbol.size == bytes.size();
    });
    if (copy == program.symbols.end() ||
        system.core().debug_write(copy->address, bytes) != bytes.size())
        throw std::runtime_error("the program has no object '" + std::string(LEVEE_BOOT_INFO_COPY) +
                                 "' of " + std::to_string(bytes.size()) +
                                 " bytes with its copy of the boot information");
}

} // namespace

void replace_decoding(System& system, const SystemPlan& plan, const config::Scenario& scenario,
                      const Work& work, const ElfImage& program, levee_boot_info& boot_info)
{
    levee_workload& workload = boot_info.workload;
    const std::uint32_t most_new = scenario.workload->max_new_tokens;
    const bool other_length = most_new != workload.max_new_tokens;
    if (other_length)
        check_prefill(plan);
    if (other_length && work.model->tokenizer().vocab() != 0)
        throw std::runtime_error("the run cannot continue with " + std::to_string(most_new) +
                                 " new tokens, since data behind the texts are placed for " +
                                 std::to_string(workload.max_new_tokens));
    const std::vector<std::uint32_t>& steps = work.prepared->sample_steps;
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(steps.data()),
                          sizeof(std::uint32_t) * steps.size());
    const std::uint64_t head =
        workload.sample_step_address - workload.sequence_address + bytes.size();
    if ((head + 4095) / 4096 * 4096 != workload.model_address - workload.sequence_address)
        throw std::runtime_error("the model's address is different with a list of " +
                                 std::to_string(steps.size()) +
                                 " decode steps, so the run cannot continue");
    const PlannedComponent* const memory = plan.memory_for(LEVEE_ROLE_MODEL);
    system.load(static_cast<std::size_t>(memory - plan.components.data()),
                workload.sample_step_address - memory->base, bytes);
    workload.sample_steps = static_cast<std::uint32_t>(steps.size());
    workload.max_new_tokens = most_new;
    system.set_boot_info(boot_info);
    put_copy(system, program, boot_info);
}

} // namespace levee
