// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace levee {

/// The tokens of a prompt that more than half of an entry's heads retain (Kelle, section 4.1.2).
class PopularTokens {
public:
    explicit PopularTokens(std::size_t heads) : heads_(heads) {}

    /// One head's tokens after the prompt, by position.
    void retained(const std::vector<std::uint32_t>& positions)
    {
        for (const std::uint32_t position : positions)
            ++retaining_[position];
    }
    /// Forgets all tokens that are not popular. Call when all heads have been passed to retained().
    void find()
    {
        std::erase_if(retaining_, [&](const auto& token) { return !is_popular(token.second); });
    }
    /// A head has evicted the token of this position.
    void evicted(std::uint32_t position)
    {
        if (const auto token = retaining_.find(position); token != retaining_.end())
            --token->second;
    }
    /// Adds the number of tokens that were popular after the prompt, and of those that still are;
    /// then forgets them.
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
    std::map<std::uint32_t, std::size_t> retaining_; ///< heads, by position
};

} // namespace levee
