// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/price_list.hpp"

namespace levee::energy {

/// Reads a technology file into a PriceList.
struct PriceList::Reader {
    PriceList& list;
    Types types;

    void read(const config::Node& node);

private:
    [[nodiscard]] std::vector<std::string> type_names() const;
    /// Reads the key's value. If the list uses bounds, reads `low` or `high` instead, if
    /// present.
    [[nodiscard]] std::uint64_t read_price(config::MapReader& reader, const std::string& key,
                                           config::Dimension dimension) const;
    void read_types(const config::Node& node);
    void read_lists(const config::Node& node);
    [[nodiscard]] TypePrices read_type(const config::Node& node, const std::string& path,
                                       const Declaration& type) const;
    static void choose_basis(const std::string& path, const Declaration& type, TypePrices& prices);
    void read_entry(const config::Node::Entry& entry, const std::string& path,
                    const Declaration& type, bool has_source, TypePrices& prices) const;
    void read_event(const config::Node::Entry& entry, const std::string& path,
                    const Declaration& type, std::span<const config::Key> keys, bool has_source,
                    TypePrices& prices) const;
    static void read_per(config::MapReader& reader, const Declaration& type, Stated& stated,
                         bool is_power);
    static void read_parameters(const config::Node& node, const std::string& path,
                                const Declaration& type, Stated& stated);
    [[nodiscard]] Stated read_parts(const config::Node& node, const std::string& path,
                                    const Declaration& type, const std::string& key,
                                    config::Dimension dimension, bool has_source) const;
    [[nodiscard]] Stated read_stated(const config::Node& node, const std::string& path,
                                     const Declaration& type, const std::string& key,
                                     config::Dimension dimension, bool has_source) const;
    [[nodiscard]] Stated read_one(config::MapReader reader, const Declaration& type,
                                  const std::string& key, config::Dimension dimension,
                                  bool has_source) const;
    [[nodiscard]] Chip read_chip(const config::Node& node, const std::string& path,
                                 const std::string& key, config::Dimension dimension) const;
};

} // namespace levee::energy
