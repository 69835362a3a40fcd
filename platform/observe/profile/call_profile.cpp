// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/call_profile.hpp"

#include <algorithm>
#include <set>

namespace levee::profile {

CallProfile::CallProfile() : nodes_(1), links_{{&none_}} {}

/// Adds the time since the last call to the current node. The time before the first function goes
/// to the root, since the core starts at cycle 0.
void CallProfile::charge(std::uint64_t cycle)
{
    if (cycle > charged_to_) {
        nodes_[current_].cycles += cycle - charged_to_;
        if (on_stretch)
            on_stretch(*links_[current_].name, charged_to_, cycle);
    }
    charged_to_ = cycle;
}

void CallProfile::enter(const trace::Function& function, std::uint64_t cycle)
{
    charge(cycle);
    callers_.push_back(current_);
    current_ = child(function);
    ++nodes_[current_].calls;
}

/// Returns the innermost node of this function on the current path; 0 if there is none.
std::size_t CallProfile::on_path(const trace::Function& function) const
{
    std::size_t at = current_;
    while (at != 0 && links_[at].name != &function.name)
        at = nodes_[at].caller;
    return at;
}

/// Returns the node for a call of this function from the current node, and adds it if necessary.
std::size_t CallProfile::child(const trace::Function& function)
{
    if (links_[current_].latest == &function)
        return links_[current_].latest_node;
    const auto [at, is_new] = children_.try_emplace({current_, &function}, nodes_.size());
    const bool deep = is_new && links_[current_].frames >= most_frames;
    const std::size_t again = deep ? on_path(function) : 0;
    if (again != 0) {
        shortened_ = true;
        at->second = again;
    } else if (is_new) {
        nodes_.push_back({function.name, current_, 0, 0});
        links_.push_back({&function.name, nullptr, 0, links_[current_].frames + 1});
    }
    links_[current_].latest = &function;
    links_[current_].latest_node = at->second;
    return at->second;
}

void CallProfile::leave(std::uint64_t cycle)
{
    charge(cycle);
    current_ = callers_.back();
    callers_.pop_back();
}

std::vector<CallProfile::Entry> CallProfile::gather(const NameOf& name_of) const
{
    std::map<std::string, Entry> entries;
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
        Entry& own = entries[name_of(nodes_[i])];
        own.self += nodes_[i].cycles;
        own.calls += nodes_[i].calls;
        // Names already seen on the way to the root: a recursive function's cycles count only once.
        std::set<std::string> above;
        for (std::size_t at = i; at != 0; at = nodes_[at].caller)
            if (const std::string name = name_of(nodes_[at]); above.insert(name).second)
                entries[name].with_callees += nodes_[i].cycles;
    }
    std::vector<Entry> sorted;
    for (auto& [name, entry] : entries) {
        entry.name = name;
        sorted.push_back(entry);
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Entry& a, const Entry& b) { return a.self > b.self; });
    return sorted;
}

std::vector<CallProfile::Entry> CallProfile::flat() const
{
    return gather([](const Node& node) { return node.function; });
}

std::vector<CallProfile::Entry> CallProfile::by_caller() const
{
    return gather([this](const Node& node) {
        const std::string& caller = nodes_[node.caller].function;
        return (caller.empty() ? "(start)" : caller) + " -> " + node.function;
    });
}

std::string CallProfile::folded() const
{
    std::vector<std::string> paths(nodes_.size());
    std::map<std::string, std::uint64_t> stacks;
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
        const std::size_t caller = nodes_[i].caller;
        paths[i] = (caller == 0 ? "" : paths[caller] + ";") + nodes_[i].function;
        stacks[paths[i]] += nodes_[i].cycles;
    }
    std::string text;
    for (const auto& [stack, cycles] : stacks)
        if (cycles != 0)
            text += stack + " " + std::to_string(cycles) + "\n";
    return text;
}

} // namespace levee::profile
