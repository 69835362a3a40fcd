// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/call_tracker.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace levee::profile {

/// Call profile of the core: a tree with a node for each path of calls. Each node has the cycles
/// spent in the path's last function. On a path of most_frames frames or more, a call of a function
/// that is already on the path adds no node. Its cycles go to that function's innermost node on the
/// path.
class CallProfile : public trace::CallListener {
public:
    static constexpr std::size_t most_frames = 256;

    struct Node {
        std::string function;
        std::size_t caller = 0; ///< index of the caller's node; the root's is 0
        std::uint64_t cycles = 0;
        std::uint64_t calls = 0;
    };

    CallProfile();

    /// Receives the intervals in which one function ran, in order and without gaps. The string
    /// `function` lives as long as the trace::Function, or for the root as long as this object.
    std::function<void(const std::string& function, std::uint64_t from, std::uint64_t to)>
        on_stretch;

    void enter(const trace::Function& function, std::uint64_t cycle) override;
    void leave(std::uint64_t cycle) override;

    /// Returns whether a path reached most_frames, so that deeper calls were added to an earlier
    /// node.
    [[nodiscard]] bool shortened() const { return shortened_; }
    /// Returns all nodes, with the root first, and each caller before its callees.
    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

    struct Entry {
        std::string name;       ///< name of the function, or "caller -> function"
        std::uint64_t self = 0; ///< cycles spent in the function itself
        std::uint64_t with_callees = 0;
        std::uint64_t calls = 0;
    };
    /// Returns sums by function, sorted by decreasing `self` and then by name.
    [[nodiscard]] std::vector<Entry> flat() const;
    /// Like flat(), but for each pair of caller and function.
    [[nodiscard]] std::vector<Entry> by_caller() const;
    /// Returns folded stacks, the input format of flame graphs: "a;b;c 123" for every stack with
    /// cycles of its own, in alphabetical order.
    [[nodiscard]] std::string folded() const;

private:
    using NameOf = std::function<std::string(const Node&)>;
    [[nodiscard]] std::vector<Entry> gather(const NameOf& name_of) const;
    void charge(std::uint64_t cycle);

    struct Link {
        const std::string* name;
        const trace::Function* latest = nullptr;
        std::size_t latest_node = 0;
        std::size_t frames = 0;
    };

    std::size_t child(const trace::Function& function);
    [[nodiscard]] std::size_t on_path(const trace::Function& function) const;

    std::vector<Node> nodes_;
    std::vector<Link> links_;
    const std::string none_;
    std::map<std::pair<std::size_t, const trace::Function*>, std::size_t> children_;
    std::vector<std::size_t> callers_; ///< nodes of the callers of the current frame
    std::size_t current_ = 0;
    bool shortened_ = false;
    std::uint64_t charged_to_ = 0;
};

} // namespace levee::profile
