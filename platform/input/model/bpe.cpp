// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/bpe.hpp"

#include <queue>

namespace levee {

namespace {

constexpr size_t none = SIZE_MAX;

struct Node {
    std::uint32_t id;
    size_t previous, next;
    bool alive;
};

struct Candidate {
    Merge merge;
    size_t left, right;
    std::uint32_t left_id, right_id; // ids when the pair was entered; a candidate is stale once its
                                     // neighbours have changed
};

struct IsWorse {
    bool operator()(const Candidate& a, const Candidate& b) const
    {
        if (a.merge.score != b.merge.score) {
            return a.merge.score < b.merge.score;
        }
        return a.left > b.left;
    }
};

class Merger {
public:
    Merger(const std::vector<std::uint32_t>& ids, const MergeRule& rule) : rule_(rule)
    {
        for (size_t i = 0; i < ids.size(); ++i) {
            nodes_.push_back(
                {ids[i], i == 0 ? none : i - 1, i + 1 == ids.size() ? none : i + 1, true});
        }
        for (size_t i = 0; i < ids.size(); ++i) {
            offer(i);
        }
    }

    std::vector<std::uint32_t> run()
    {
        while (!candidates_.empty()) {
            const Candidate best = candidates_.top();
            candidates_.pop();
            if (is_current(best)) {
                apply(best);
            }
        }
        std::vector<std::uint32_t> ids;
        for (const Node& node : nodes_) {
            if (node.alive) {
                ids.push_back(node.id);
            }
        }
        return ids;
    }

private:
    void offer(size_t left)
    {
        const size_t right = nodes_[left].next;
        if (right == none) {
            return;
        }
        const std::uint32_t left_id = nodes_[left].id;
        const std::uint32_t right_id = nodes_[right].id;
        if (const auto merge = rule_(left_id, right_id)) {
            candidates_.push({*merge, left, right, left_id, right_id});
        }
    }

    bool is_current(const Candidate& candidate) const
    {
        const Node& left = nodes_[candidate.left];
        return left.alive && left.next == candidate.right && left.id == candidate.left_id &&
               nodes_[candidate.right].id == candidate.right_id;
    }

    void apply(const Candidate& best)
    {
        Node& left = nodes_[best.left];
        Node& right = nodes_[best.right];
        left.id = best.merge.id;
        left.next = right.next;
        right.alive = false;
        if (left.next != none) {
            nodes_[left.next].previous = best.left;
        }
        offer(best.left);
        if (left.previous != none) {
            offer(left.previous);
        }
    }

    const MergeRule& rule_;
    std::vector<Node> nodes_;
    std::priority_queue<Candidate, std::vector<Candidate>, IsWorse> candidates_;
};

} // namespace

std::vector<std::uint32_t> merge_pairs(const std::vector<std::uint32_t>& ids, const MergeRule& rule)
{
    return Merger(ids, rule).run();
}

} // namespace levee
