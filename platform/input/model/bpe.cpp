// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/bpe.hpp"

#include <queue>

namespace levee {

namespace {

constexpr size_t none = SIZE_MAX;

struct Node {
    uint32_t id;
    size_t previous, next;
    bool alive;
};

struct Candidate {
    Merge merge;
    size_t left, right;
    uint32_t left_id, right_id; // as they were: a candidate of changed neighbours is stale
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
    Merger(const std::vector<uint32_t>& ids, const MergeRule& rule) : m_rule(rule)
    {
        for (size_t i = 0; i < ids.size(); ++i) {
            m_nodes.push_back(
                {ids[i], i == 0 ? none : i - 1, i + 1 == ids.size() ? none : i + 1, true});
        }
        for (size_t i = 0; i < ids.size(); ++i) {
            offer(i);
        }
    }

    std::vector<uint32_t> run()
    {
        while (!m_candidates.empty()) {
            const Candidate best = m_candidates.top();
            m_candidates.pop();
            if (is_current(best)) {
                apply(best);
            }
        }
        std::vector<uint32_t> ids;
        for (const Node& node : m_nodes) {
            if (node.alive) {
                ids.push_back(node.id);
            }
        }
        return ids;
    }

private:
    void offer(size_t left)
    {
        const size_t right = m_nodes[left].next;
        if (right == none) {
            return;
        }
        const uint32_t left_id = m_nodes[left].id;
        const uint32_t right_id = m_nodes[right].id;
        if (const auto merge = m_rule(left_id, right_id)) {
            m_candidates.push({*merge, left, right, left_id, right_id});
        }
    }

    bool is_current(const Candidate& candidate) const
    {
        const Node& left = m_nodes[candidate.left];
        return left.alive && left.next == candidate.right && left.id == candidate.left_id &&
               m_nodes[candidate.right].id == candidate.right_id;
    }

    void apply(const Candidate& best)
    {
        Node& left = m_nodes[best.left];
        Node& right = m_nodes[best.right];
        left.id = best.merge.id;
        left.next = right.next;
        right.alive = false;
        if (left.next != none) {
            m_nodes[left.next].previous = best.left;
        }
        offer(best.left);
        if (left.previous != none) {
            offer(left.previous);
        }
    }

    const MergeRule& m_rule;
    std::vector<Node> m_nodes;
    std::priority_queue<Candidate, std::vector<Candidate>, IsWorse> m_candidates;
};

} // namespace

std::vector<uint32_t> merge_pairs(const std::vector<uint32_t>& ids, const MergeRule& rule)
{
    return Merger(ids, rule).run();
}

} // namespace levee
