// SPDX-License-Identifier: Apache-2.0
#include "platform/run/shares.hpp"

#include <algorithm>
#include <utility>

namespace levee {

void Shares::spend(Wide until_now, std::vector<std::size_t> owners, std::size_t parts)
{
    Wide rest = until_now - until_;
    until_ = until_now;
    const Wide part = parts_ != 0 ? rest / parts_ : 0;
    for (const std::size_t owner : owners_) {
        shares_.resize(std::max(shares_.size(), owner + 1));
        shares_[owner] += part;
        rest -= part;
    }
    idle_ += rest;
    parts_ = std::max(parts, owners.size());
    owners_ = std::move(owners);
}

} // namespace levee
