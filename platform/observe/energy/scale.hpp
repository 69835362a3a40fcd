// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "platform/observe/energy/amount.hpp"
#include "platform/observe/energy/consumer.hpp"

#include <cstdint>

namespace levee::energy {

/// Computes a memory's price from the price of a reference memory with another size or number of
/// ports (docs/energy.md, "Memories of other sizes"). The arithmetic uses integers. It is exact,
/// except that square roots are rounded down to a millionth.
class Scale {
public:
    /// Kinds of prices, each with its own rule.
    enum class Of {
        Access, ///< `sqrt`: proportional to the square root of the size, and to the ports
        Power,  ///< `linear`: proportional to the size and the ports
        Area    ///< `linear`: proportional to the size and the square of the ports
    };

    /// Reads `{rule, reference, ports, source}` at `path`. A nonzero `per` is the size of the
    /// reference. Throws config::Error.
    Scale(const config::Node& node, const std::string& path, Of of, std::uint64_t per = 0);

    [[nodiscard]] Rate apply(const Rate& price, const Consumer& memory) const;

private:
    Of of_;
    std::uint64_t bytes_ = 0, ports_ = 1;
};

} // namespace levee::energy
