// SPDX-License-Identifier: Apache-2.0
#include "platform/run/machine_parts.hpp"

#include "firmware/machines/parts.h"
#include "platform/input/config/kv_keys.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>

namespace levee {

namespace {

struct Part {
    std::string_view symbol, roles, name;
    std::uint32_t lacks, sequences;
    bool keeps_vectors;

    [[nodiscard]] bool takes_kept() const { return roles.find('K') != std::string_view::npos; }
};
constexpr Part parts[] = {
#define LEVEE_PART(symbol, roles, name, lacks, sequences, keeps)                                   \
    {#symbol, #roles, name, lacks, sequences, (keeps) != 0},
    LEVEE_MACHINE_PARTS(LEVEE_PART)
#undef LEVEE_PART
};

/// Letters for the roles of a machine's parts, in the order of levee_machine_parts: weights,
/// functions, attention.
constexpr std::array role_letters{'W', 'F', 'A'};
constexpr std::array part_roles{"weights", "functions", "attention"};

struct Composition {
    std::string_view name;
    std::array<std::string_view, 3> symbols; ///< indexed by role
    std::uint32_t order;
};
constexpr Composition compositions[] = {
#define LEVEE_COMPOSITION(name, weights, attention, functions, order)                              \
    {#name, {#weights, #functions, #attention}, order},
    LEVEE_SCHEDULERS(LEVEE_COMPOSITION)
#undef LEVEE_COMPOSITION
};

/// Returns the flags of a machine's order of operations, from its name and its parts.
std::uint32_t order_of(const config::Scheduler& scheduler)
{
    const auto* const found = std::ranges::find(compositions, scheduler.name, &Composition::name);
    return scheduler.parts.order | (found == std::end(compositions) ? 0 : found->order);
}

/// Returns the part that has the role; null if it belongs to other firmware.
const Part* part_of(const config::Scheduler& scheduler, std::size_t role)
{
    const auto* const found = std::ranges::find(compositions, scheduler.name, &Composition::name);
    const bool by_name = scheduler.parts.names[0][0] == 0;
    const std::string_view asked = scheduler.parts.names[role];
    const auto* const part = std::ranges::find_if(parts, [&](const Part& known) {
        if (by_name)
            return found != std::end(compositions) && known.symbol == found->symbols[role];
        return known.roles.find(role_letters[role]) != std::string_view::npos &&
               (asked.empty() || asked == known.name);
    });
    return part == std::end(parts) ? nullptr : part;
}

std::uint32_t properties_of(const ModelImage& model)
{
    const ModelShape& shape = model.shape();
    const std::uint32_t heads = shape.head_norm == HeadNorm::none  ? 0
                                : shape.head_norm == HeadNorm::all ? shape.heads
                                                                   : 1;
    levee_model_facts facts{};
    facts.query_norm = heads * shape.head_dim;
    for (const std::uint32_t flags : shape.layer_flags)
        facts.layer_flags |= flags;
    facts.norms_after = shape.has_norms_after();
    facts.local_phases = shape.local_phases;
    facts.sinks = shape.sinks;
    return levee_model_properties(&model.header(), &facts);
}

/// Throws config::Error if the model has a feature that a part does not support.
void check_abilities(const SystemPlan& plan, const config::Scenario& scenario,
                     const ModelImage& model)
{
    const config::Scheduler& scheduler = scenario.workload->scheduler;
    const bool keeps_experts = model.shape().experts != 0 &&
                               plan.memory_for(LEVEE_ROLE_WEIGHTS) != nullptr &&
                               plan.memory_for(LEVEE_ROLE_EXPERTS) == nullptr;
    for (std::size_t role = 0; role < part_roles.size(); ++role) {
        const Part* const part = part_of(scheduler, role);
        const std::uint32_t lacks =
            part == nullptr
                ? 0
                : part->lacks | (keeps_experts && role == 0 ? std::uint32_t{MODEL_EXPERTS} : 0U);
        const std::uint32_t lacking = lacks & properties_of(model);
        if (lacking != 0)
            throw config::Error(scenario.model->place,
                                "scheduler " + scheduler.name + ": " + part_roles[role] + ": " +
                                    std::string(part->name) +
                                    " does not support a feature of the model: " +
                                    levee_property_text(lacking) + "; expected " +
                                    (keeps_experts && (part->lacks & lacking) == 0
                                         ? "a memory with the role 'experts', "
                                         : "") +
                                    "another machine, or a model without");
    }
}

/// Throws config::Error if the part for products with weights does not read the layers' matrices
/// from the memory that has them.
void check_keeper(const SystemPlan& plan, const config::Scheduler& scheduler)
{
    const Part* const part = part_of(scheduler, 0);
    const PlannedComponent* const keeper = plan.memory_for(LEVEE_ROLE_WEIGHTS);
    if (part == nullptr || part->takes_kept() == (keeper != nullptr))
        return;
    const std::string who =
        "scheduler " + scheduler.name + ": weights: " + std::string(part->name) + " reads ";
    if (keeper == nullptr)
        throw config::Error(plan.config.memories_place,
                            who + "the layers' matrices from a memory with the role 'weights', but "
                                  "there is none; expected such a memory, or another machine");
    throw config::Error(keeper->place, who +
                                           "the layers' matrices from the memory with the role "
                                           "'model'; expected no role 'weights' for 'system."
                                           "memories." +
                                           keeper->name + "', or another machine");
}

/// Throws config::Error if the part for products with weights does not support the batch.
void check_batch(const config::Scenario& scenario)
{
    const config::Scheduler& scheduler = scenario.workload->scheduler;
    const Part* const part = part_of(scheduler, 0);
    const std::uint32_t batch = scenario.workload->batch;
    if (part == nullptr || part->sequences == 0 || batch <= part->sequences)
        return;
    const config::Node* const workload = scenario.resolved.find("workload");
    const config::Node* const key = workload == nullptr ? nullptr : workload->find("batch");
    throw config::Error(key == nullptr ? scenario.workload->place : key->place,
                        "'workload.batch' is " + std::to_string(batch) + "; scheduler " +
                            scheduler.name + ": weights: " + std::string(part->name) +
                            " supports a batch of at most " + std::to_string(part->sequences));
}

/// Throws config::Error for options that treat keys and values separately, if the model stores both
/// in one latent vector.
void check_latent(const config::Scenario& scenario, const ModelImage& model)
{
    const config::Scheduler& scheduler = scenario.workload->scheduler;
    const bool stages = (order_of(scheduler) & LEVEE_ORDER_STAGED) != 0;
    const bool compresses =
        config::is_kv_given(levee_kv_keys[LEVEE_KV_KEY_CPQ], scenario.kv_cache.boot);
    if (const char* const why = levee_latent_refusal(properties_of(model), stages, compresses))
        throw config::Error(stages ? scenario.model->place : scenario.kv_cache.place,
                            "scheduler " + scheduler.name + ": " + why);
}

/// A key of the workload for which the cache's rows must be individually accessible: to continue
/// from any row, to remove rows, or to copy them.
struct RowsNeed {
    std::array<const char*, 2> path; ///< below `workload`
    bool copies;
};
constexpr RowsNeed rows_needs[] = {{{"requests", nullptr}, false},
                                   {{"requests", "prefix_block"}, true},
                                   {{"speculation", nullptr}, false},
                                   {{"forget_after", nullptr}, false},
                                   {{"save", nullptr}, true}};

/// Returns the key's value in the scenario; null if it is not given.
const config::Node* find(const config::Scenario& scenario, const RowsNeed& need)
{
    const config::Node* found = scenario.resolved.find("workload");
    for (const char* const key : need.path)
        if (found != nullptr && key != nullptr)
            found = found->find(key);
    return found;
}

std::string name_of(const RowsNeed& need)
{
    std::string name = "workload";
    for (const char* const key : need.path)
        if (key != nullptr)
            name += std::string(".") + key;
    return "'" + name + "'";
}

/// Throws config::Error if a key of `rows_needs` is given for a model with local layers (a window
/// shorter than the context), whose tokens have no fixed rows.
void check_rows(const config::Scenario& scenario, const ModelImage& model, std::uint32_t context)
{
    const std::uint32_t window = model.shape().window;
    if (window == 0 || window >= context)
        return;
    for (const RowsNeed& need : rows_needs)
        if (const config::Node* const given = find(scenario, need))
            throw config::Error(given->place,
                                name_of(need) +
                                    " is given, but some layers attend only to the last " +
                                    std::to_string(window) +
                                    " tokens, for which a prefill uses a separate cache; expected "
                                    "'workload.context' of at most " +
                                    std::to_string(window) + ", or a model without such layers");
}

} // namespace

void check_copies(const config::Scenario& scenario)
{
    const Part* const attention = part_of(scenario.workload->scheduler, 2);
    if (attention == nullptr || !attention->keeps_vectors)
        return;
    for (const RowsNeed& need : rows_needs)
        if (const config::Node* const given = need.copies ? find(scenario, need) : nullptr)
            throw config::Error(given->place,
                                name_of(need) + " is given, but attention by " +
                                    std::string(attention->name) +
                                    " keeps keys and values inside its block, where no other block "
                                    "can copy them; expected another machine, or no such key");
}

void check_parts(const SystemPlan& plan, const config::Scenario& scenario, const ModelImage& model,
                 std::uint32_t context)
{
    check_copies(scenario);
    check_rows(scenario, model, context);
    check_abilities(plan, scenario, model);
    check_keeper(plan, scenario.workload->scheduler);
    check_batch(scenario);
    check_latent(scenario, model);
}

void check_hadamard(const config::Scenario& scenario, const config::ModelConfig& config,
                    const ModelImage& model)
{
    if (scenario.kv_cache.boot.rotation.hadamard == 0)
        return;
    const config::Scheduler& scheduler = scenario.workload->scheduler;
    std::uint32_t lacks = 0;
    for (std::size_t role = 0; role < part_roles.size(); ++role)
        if (const Part* const part = part_of(scheduler, role))
            lacks |= part->lacks;
    const char* const why =
        levee_hadamard_refusal(lacks, properties_of(model), model.header().head_dim);
    if (why == nullptr)
        return;
    const std::string name = levee_kv_keys[LEVEE_KV_KEY_HADAMARD].name;
    const config::Node* const cache = scenario.resolved.find("kv_cache");
    const config::Node* const key = cache == nullptr ? nullptr : cache->find(name);
    throw config::Error(key == nullptr ? scenario.kv_cache.place : key->place,
                        "'kv_cache." + name + "' is true with scheduler " + scheduler.name +
                            (config.is_draft() ? " and '" + config.path + "'" : "") + ", but " +
                            why);
}

} // namespace levee
