// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/optional_keys.hpp"

#include <algorithm>

namespace levee::hf {

bool OptionalKeys::flag(const std::string& key, bool without)
{
    if (!config_.find(key))
        this->without(key, without);
    return config_.flag(key, without);
}

double OptionalKeys::real(const std::string& key, double without)
{
    if (!config_.find(key))
        this->without(key, without);
    return config_.real(key, without);
}

std::uint32_t OptionalKeys::count(const std::string& key, std::uint32_t without)
{
    if (!config_.find(key))
        this->without(key, without);
    return config_.count(key, without);
}

void OptionalKeys::require(const std::string& key, const std::vector<Json>& values,
                           const std::string& expected)
{
    const auto found = config_.find(key);
    if (!found)
        return without(key, values.front());
    if (std::find(values.begin(), values.end(), found->json()) == values.end())
        found->fail(expected);
}

void OptionalKeys::without(const std::string& key, const Json& value)
{
    absent_ += (absent_.empty() ? "" : ", ") + key + " (" +
               (value.is_string() ? value.get<std::string>() : value.dump()) + ")";
}

std::optional<std::string> OptionalKeys::note() const
{
    if (absent_.empty())
        return std::nullopt;
    return "its config.json lacks keys, for which the defaults of transformers are used: " +
           absent_;
}

} // namespace levee::hf
