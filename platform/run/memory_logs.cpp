// SPDX-License-Identifier: Apache-2.0
#include "platform/run/memory_logs.hpp"

#include <algorithm>

namespace levee {

namespace {

using config::Error;

std::string number(std::uint64_t value)
{
    return std::to_string(value) + ",";
}

template <typename Offers>
void need_source(const SystemPlan& plan, System& system, const char* key, Offers offers)
{
    const auto memories = system.components();
    if (std::none_of(memories.begin(), memories.end(), offers))
        throw Error(
            plan.config.memories_place,
            std::string("'observe.") + key +
                "' needs a memory whose cells hold data for a limited time, but this system has "
                "none" +
                (std::string(key) == "retention_log" ? " with 'retention'" : ""));
}

} // namespace

MemoryLogs::MemoryLogs(const RunContext& run)
{
    const config::ObserveConfig& observe = run.inputs.scenario.observe;
    const SystemPlan& plan = run.inputs.plan;
    System& system = run.system;
    const std::filesystem::path& folder = run.folder.path();
    if (observe.retention_log) {
        need_source(plan, system, "retention_log",
                    [](const Component& memory) { return bool(memory.observe_failures); });
        retention_.emplace(folder / observe.retention_log->name);
        retention_->write(
            "pass,memory,offset,half,before_ps,after_ps,written_ps,before,after,element_bits\n");
    }
    if (observe.lifetimes) {
        need_source(plan, system, "lifetimes",
                    [](const Component& memory) { return bool(memory.observe_lifetimes); });
        lifetimes_.emplace(folder / observe.lifetimes->name);
        lifetimes_->write("memory,address,bytes,written_ps,discarded_ps\n");
    }
    for (std::size_t i = 0; i < plan.components.size(); ++i) {
        Component& memory = system.components()[i];
        if (retention_ && memory.observe_failures)
            log_failures(plan.components[i].name, memory);
        if (lifetimes_ && memory.observe_lifetimes)
            log_lifetimes(plan.components[i], memory);
    }
}

void MemoryLogs::log_failures(const std::string& memory, Component& source)
{
    source.observe_failures([this, memory](const RetentionFailure& row) {
        retention_->write(number(passes_) + memory + "," + number(row.offset) +
                          (row.upper ? "msb," : "lsb,") + number(row.age_before) +
                          number(row.age_after) + number(row.written) + number(row.before) +
                          number(row.after) + std::to_string(row.element_bits) + "\n");
    });
}

void MemoryLogs::log_lifetimes(const PlannedComponent& memory, Component& source)
{
    source.observe_lifetimes([this, &memory](const DataLifetime& lifetime) {
        last_lifetimes_[memory.base + lifetime.offset] = lifetime.discarded - lifetime.written;
        lifetimes_->write(memory.name + "," + number(memory.base + lifetime.offset) +
                          number(lifetime.bytes) + number(lifetime.written) +
                          std::to_string(lifetime.discarded) + "\n");
    });
}

void MemoryLogs::finish()
{
    if (retention_)
        retention_->close();
    if (lifetimes_)
        lifetimes_->close();
}

void MemoryLogs::report(Results& results)
{
    const std::string suffix = ".address";
    std::map<std::string, Metric> found;
    for (const auto& [name, value] : results.metrics) {
        const auto* const address = std::get_if<std::uint64_t>(&value);
        if (!name.ends_with(suffix) || address == nullptr || !last_lifetimes_.contains(*address))
            continue;
        const std::uint64_t lifetime = last_lifetimes_.at(*address);
        const std::string item = name.substr(0, name.size() - suffix.size());
        found[item + ".lifetime_ps"] = lifetime;
        if (const std::size_t dot = item.rfind('.'); dot != std::string::npos) {
            Metric& sum = found[item.substr(0, dot) + ".lifetime_ps"];
            sum = std::get<std::uint64_t>(sum) + lifetime;
        }
    }
    for (auto& [name, value] : found) // replaces the program's figures of the same name
        results.metrics[name] = std::move(value);
}

} // namespace levee
