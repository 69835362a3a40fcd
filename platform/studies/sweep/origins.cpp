// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/origins.hpp"

#include "core/config/file_finder.hpp"

namespace levee::sweep {

Origins::Origins(const config::Node& study)
{
    const auto note = [this](const auto& self, const config::Node& node) -> void {
        if (node.is_scalar() && node.scalar.find('=') != std::string::npos)
            texts_.emplace(node.scalar, node.place);
        for (const config::Node& item : node.items)
            self(self, item);
        for (const config::Node::Entry& entry : node.entries)
            self(self, entry.value);
    };
    note(note, study);
}

void Origins::add(const std::vector<std::string>& keys, const config::Place& place)
{
    for (const std::string& key : keys)
        keys_.emplace(key, place);
}

std::string Origins::placed(const std::string& error,
                            const std::vector<std::string>& overrides) const
{
    for (const std::string& text : overrides) {
        const std::string named = std::string(config::override_mark) + text;
        if (const config::Place* const place = place_of(text);
            place != nullptr && error.starts_with(named + ":"))
            return place->text() + ": " + text + error.substr(named.size());
    }
    return error;
}

const config::Place* Origins::place_of(const std::string& text) const
{
    if (const auto found = texts_.find(text); found != texts_.end())
        return &found->second;
    const auto found = keys_.find(text.substr(0, text.find('=')));
    return found != keys_.end() ? &found->second : nullptr;
}

} // namespace levee::sweep
