// SPDX-License-Identifier: Apache-2.0
// JSON files whose errors name the file and the key.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee::hf {

using Json = nlohmann::json; // not ordered_json, which searches linearly: these files have many
                             // keys

/// Parses a JSON object. Python's NaN, Infinity and -Infinity become strings. Throws ModelError
/// ("<source>: ...") for invalid JSON, duplicate keys, a value that is not an object, and nesting
/// deeper than 64.
Json parse_object(std::string_view text, const std::string& source);

/// A value of a JSON file, and its place, such as "config.json: rope_scaling.factor". A null counts
/// as absent, as it does in the programs that write these files. Errors are ModelError with the
/// place, the value found and the expectation.
class JsonView {
public:
    JsonView(const Json& value, std::string source, std::string path = {})
        : value_(&value), source_(std::move(source)), path_(std::move(path))
    {
    }

    [[nodiscard]] std::optional<JsonView> find(const std::string& key) const;
    [[nodiscard]] JsonView at(const std::string& key) const;
    [[nodiscard]] std::vector<JsonView> items() const; ///< Items of an array.
    [[nodiscard]] std::vector<std::pair<std::string, JsonView>>
    entries() const; ///< Members of an object.

    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool flag() const;
    [[nodiscard]] double real() const;
    [[nodiscard]] std::uint64_t whole() const; ///< an integer that is not negative
    [[nodiscard]] std::uint32_t count() const; ///< an integer that fits in 32 bits

    [[nodiscard]] std::string text(const std::string& key, const std::string& without) const;
    [[nodiscard]] bool flag(const std::string& key, bool without) const;
    [[nodiscard]] double real(const std::string& key, double without) const;
    [[nodiscard]] std::uint32_t count(const std::string& key, std::uint32_t without) const;

    [[nodiscard]] const Json& json() const { return *value_; }
    [[nodiscard]] const std::string& source() const { return source_; }
    [[nodiscard]] std::string place() const;
    [[nodiscard]] std::string shown() const;                   ///< the value's first bytes, as JSON
    [[noreturn]] void fail(const std::string& expected) const; ///< throws an error with the value
                                                               ///< found

private:
    const Json* value_;
    std::string source_;
    std::string path_;
};

/// A whole JSON file, which must outlive all views that view() returns.
class JsonFile {
public:
    explicit JsonFile(const std::filesystem::path& path);
    [[nodiscard]] JsonView view() const { return {json_, source_}; }

private:
    std::string source_;
    Json json_;
};

} // namespace levee::hf
