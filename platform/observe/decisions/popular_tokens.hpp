// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace levee {

/// Finds the popular tokens of a prompt: those that more than half of an entry's heads retain
/// (Kelle, section 4.1.2).
class PopularTokens {
public:
    explicit PopularTokens(std::size_t heads) : heads_(heads) {}

    /// Adds the tokens that one head retains after the prompt, given by their positions.
    void retained(const std::vector<std::uint32_t>& positions)
    {
        for (const std::uint32_t position : positions)
            ++retaining_[position];
    }
    /// Drops all tokens that are not popular. Called after retained() for all heads.
    void find()
    {
        std::erase_if(retaining_, [&](const auto& token) { return !is_popular(token.second); });
    }
    /// Called when a head has evicted the token at this position.
    void evicted(std::uint32_t position)
    {
        if (const auto token = retaining_.find(position); token != retaining_.end())
            --token->second;
    }
    /// Ends the sequence. Adds to `popular` the number of tokens that were popular after the
    /// prompt, and to `still` the number that still are.
    void count(double& popular, double& still)
    {
        popular += static_cast<double>(retaining_.size());
        still += static_cast<double>(std::ranges::count_if(
            retaining_, [&](const auto& token) { return is_popular(token.second); }));
        retaining_.clear();
    }

private:
    [[nodiscard]] bool is_popular(std::size_t retaining) const { return 2 * retaining > heads_; }

    std::size_t heads_;
    std::map<std::uint32_t, std::size_t> retaining_; ///< number of heads that retain a token, by
                                                     ///< its position
};

} // namespace levee
