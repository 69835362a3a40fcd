// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/wide.hpp"

#include <cstddef>
#include <vector>

namespace levee {

/// Divides an amount that grows during a run, such as energy, among the run's requests. The rest,
/// which belongs to no request, counts as idle. The shares and the idle amount add up exactly to
/// the whole amount.
class Shares {
public:
    /// `until_now` is the amount so far. From now on, the growth of the amount is divided into
    /// `parts` equal parts, and each of `owners` gets one part. There are at least as many parts as
    /// owners. The remaining parts are idle, and so are units that cannot be divided evenly.
    /// Without owners, all growth is idle.
    void spend(Wide until_now, std::vector<std::size_t> owners, std::size_t parts);

    [[nodiscard]] Wide of(std::size_t owner) const
    {
        return owner < shares_.size() ? shares_[owner] : 0;
    }
    [[nodiscard]] Wide idle() const { return idle_; }

private:
    Wide until_ = 0, idle_ = 0;
    std::vector<Wide> shares_;
    std::vector<std::size_t> owners_;
    std::size_t parts_ = 0;
};

} // namespace levee
