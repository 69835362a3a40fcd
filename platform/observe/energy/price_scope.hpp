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

/// The machines for which a price list holds (`for:`, docs/energy.md, "Which machines a list is
/// for").
class PriceScope {
public:
    PriceScope() = default; ///< holds for every machine
    /// Reads the map `for:` at `path`. Throws config::Error.
    PriceScope(const config::Node& node, const std::string& path, Types types);

    /// Returns the differences between these components and the listed machines, such as "rsa.rows
    /// is 64, not 32". Components beyond the permitted number are also differences. Throws
    /// config::Error if a component lacks a parameter.
    [[nodiscard]] std::vector<std::string> outside(std::span<const Consumer> all) const;

    /// Replaces the components of this type for which the prices hold by those in
    /// `other`.
    void replace(const std::string& type, const PriceScope& other);

private:
    struct Key {
        config::Place place;
        std::string path, name;
        std::vector<std::string> values;
    };
    /// A component for which the prices hold, and the maximum number of such components in a
    /// machine; 0: any number.
    struct Model {
        std::uint64_t number = 0;
        std::vector<Key> keys;
    };

    [[nodiscard]] static Model read_model(const config::Node& node, const std::string& path,
                                          const Declaration& type);
    [[nodiscard]] static std::vector<std::string>
    differences(const Consumer& component, const Model& model, std::uint64_t number);

    std::map<std::string, std::vector<Model>> models_; ///< models by type; a component must match
                                                       ///< any of them
};

} // namespace levee::energy
