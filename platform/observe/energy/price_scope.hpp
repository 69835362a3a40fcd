// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"
#include "platform/observe/energy/consumer.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// The machines that a price list is for (`for:`, docs/energy.md, "Which machines a list is for").
class PriceScope {
public:
    PriceScope() = default; ///< every machine
    /// Reads `for:`, the map at `path`. Throws config::Error.
    PriceScope(const config::Node& node, const std::string& path, Types types);

    /// Differences of these components' machine from the listed ones, one text for each differing
    /// parameter: "rsa.rows is 64, not 32". Throws config::Error for an unknown parameter of a
    /// type.
    [[nodiscard]] std::vector<std::string> outside(std::span<const Consumer> all) const;

    /// Replaces the prices of a type by those of `other`.
    void replace(const std::string& type, const PriceScope& other);

private:
    struct Key {
        config::Place place;
        std::string path, name;
        std::vector<std::string> values; ///< Any of these values matches.
    };
    /// A component to which the prices apply, and the largest number of them in a machine; 0: any
    /// number.
    struct Model {
        std::uint64_t number = 0;
        std::vector<Key> keys;
    };

    [[nodiscard]] static Model read_model(const config::Node& node, const std::string& path);
    [[nodiscard]] static std::vector<std::string>
    differences(const Consumer& component, const Model& model, std::uint64_t number);

    std::map<std::string, std::vector<Model>> models_; ///< Models by type; any of them matches.
};

} // namespace levee::energy
