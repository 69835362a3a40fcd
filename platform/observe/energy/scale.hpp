// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "platform/observe/energy/amount.hpp"
#include "platform/observe/energy/consumer.hpp"

#include <cstdint>

namespace levee::energy {

/// The rule by which a memory's price follows from a reference of another size and number of ports
/// (docs/energy.md, "Memories of other sizes"). All factors are exact except the square root, which
/// is rounded down to a millionth, as integers.
class Scale {
public:
    /// Unit of a price; each has its own rule.
    enum class Of {
        Access, ///< `sqrt`: square root of the size, times ports
        Power,  ///< `linear`: size, times ports
        Area    ///< `linear`: size, times the square of ports
    };

    /// Reads `{rule, reference, ports, source}`, the map at `path`; `per` is the reference if it is
    /// not 0. Throws config::Error.
    Scale(const config::Node& node, const std::string& path, Of of, std::uint64_t per = 0);

    [[nodiscard]] Rate apply(const Rate& price, const Consumer& memory) const;

private:
    Of of_;
    std::uint64_t bytes_ = 0, ports_ = 1; ///< size and ports of the reference
};

} // namespace levee::energy
