// SPDX-License-Identifier: Apache-2.0
// JSON files whose faults are named by file and key.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee::hf {

using Json = nlohmann::json; // not ordered_json, whose look-up is linear, for files of many keys

/// Python's NaN, Infinity and -Infinity, which are no JSON, are the strings of that. Throws
/// ModelError ("<source>: ...") for what is no JSON, no object, has a key twice in one, or
/// lists and objects more than 64 deep.
Json parse_object(std::string_view text, const std::string& source);

/// A value of a JSON file with its place in it: "config.json: rope_scaling.factor". A null counts
/// as absent, as it does for the programs that write these files. All throw ModelError naming the
/// place, what was found and what was expected.
class JsonView {
public:
    JsonView(const Json& value, std::string source, std::string path = {})
        : value_(&value), source_(std::move(source)), path_(std::move(path))
    {
    }

    [[nodiscard]] std::optional<JsonView> find(const std::string& key) const;
    [[nodiscard]] JsonView at(const std::string& key) const;
    [[nodiscard]] std::vector<JsonView> items() const;                           ///< of an array
    [[nodiscard]] std::vector<std::pair<std::string, JsonView>> entries() const; ///< of an object

    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool flag() const;
    [[nodiscard]] double real() const;
    [[nodiscard]] std::uint64_t whole() const; ///< an integer from 0
    [[nodiscard]] std::uint32_t count() const; ///< one that fits 32 bits

    [[nodiscard]] std::string text(const std::string& key, const std::string& without) const;
    [[nodiscard]] bool flag(const std::string& key, bool without) const;
    [[nodiscard]] double real(const std::string& key, double without) const;
    [[nodiscard]] std::uint32_t count(const std::string& key, std::uint32_t without) const;

    [[nodiscard]] const Json& json() const { return *value_; }
    [[nodiscard]] const std::string& source() const { return source_; }
    [[nodiscard]] std::string place() const;
    [[nodiscard]] std::string shown() const;                   ///< as JSON, the first bytes of it
    [[noreturn]] void fail(const std::string& expected) const; ///< with the value as found

private:
    const Json* value_;
    std::string source_;
    std::string path_;
};

/// A whole file. It lives as long as what is taken from view().
class JsonFile {
public:
    explicit JsonFile(const std::filesystem::path& path);
    [[nodiscard]] JsonView view() const { return {json_, source_}; }

private:
    std::string source_;
    Json json_;
};

} // namespace levee::hf
