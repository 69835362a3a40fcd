// SPDX-License-Identifier: Apache-2.0
// GGUF files: keys with values, and named tensors. Versions 2 and 3, little-endian.
#pragma once

#include "platform/input/import/gguf/element_types.hpp"
#include "platform/input/model/file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::gguf {

class Cursor;

/// The place of a key's value, which is read on demand.
struct Value {
    std::uint32_t type = 0;         ///< type, from the specification's enum
                                    ///< gguf_metadata_value_type
    std::uint32_t element_type = 0; ///< type of an array's elements
    std::uint64_t count = 1;        ///< number of elements of an array
    std::uint64_t offset = 0;       ///< offset in the file of the value or of an array's first
                                    ///< element
};

struct Tensor {
    std::string name;
    std::shared_ptr<const InputFile> file;
    const ElementType* type = nullptr;
    std::vector<std::uint64_t> dimensions; ///< the first dimension is contiguous in the file
    std::uint64_t offset = 0;              ///< Offset in the file.
    std::uint64_t bytes = 0;

    [[nodiscard]] std::uint64_t row_bytes() const;
    [[nodiscard]] std::string dimensions_text() const; ///< "[64, 512]"
};

/// A checked GGUF file. All counts, strings, arrays, keys and tensors are within the file, names
/// are unique, tensors have readable types, and tensors do not overlap. Memory use depends on the
/// file's actual size, and not on the sizes that it claims. Errors are ModelError ("<file>: key
/// <key>: ...", "<file>: tensor <name>: ..."). A model in several files is opened by its first
/// file, which has all keys. The object then has the tensors of all files. The other files must be
/// in the same folder: "<name>-00002-of-00003.gguf" and so on.
class File {
public:
    explicit File(const std::filesystem::path& path);

    [[nodiscard]] const std::string& source() const { return source_; } ///< Name for messages.
    [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
    /// All keys that begin with a prefix.
    [[nodiscard]] std::vector<std::string> keys_of(const std::string& prefix) const;

    /// Return the value of a key; nothing if the key does not exist. A value of another type is an
    /// error, and so is a text longer than `most`.
    [[nodiscard]] std::optional<std::string> text(const std::string& key,
                                                  std::uint64_t most = 65535) const;
    /// Returns the length of a text, 0 without one.
    [[nodiscard]] std::uint64_t text_bytes(const std::string& key) const;
    [[nodiscard]] std::optional<bool> flag(const std::string& key) const;
    /// Returns an integer of any width; a negative one is an error.
    [[nodiscard]] std::optional<std::uint64_t> whole(const std::string& key) const;
    /// Returns a single value, or the value that all layers share if the key has an array with one
    /// value per layer.
    [[nodiscard]] std::optional<std::uint64_t> whole_of_layers(const std::string& key,
                                                               std::uint32_t layers) const;
    /// Returns an array with one value for each layer; empty if the key does not exist or is not an
    /// array.
    [[nodiscard]] std::vector<bool> flags_of_layers(const std::string& key,
                                                    std::uint32_t layers) const;
    [[nodiscard]] std::optional<double> number(const std::string& key) const; ///< a finite number

    /// Return arrays of at most `most` elements; empty if the key does not exist.
    [[nodiscard]] std::vector<std::string> texts(const std::string& key, std::uint64_t most) const;
    [[nodiscard]] std::vector<float> numbers(const std::string& key, std::uint64_t most) const;
    [[nodiscard]] std::vector<std::int64_t> integers(const std::string& key,
                                                     std::uint64_t most) const;

    [[nodiscard]] const std::map<std::string, Tensor>& tensors() const { return tensors_; }
    /// Reads rows of a tensor as FP32. The size of `out` is a multiple of a row's size. Also throws
    /// for a block whose scale is not finite.
    void read_rows(const Tensor& tensor, std::uint64_t first, std::span<float> out) const;

    /// Returns "<file>: tensor <name>", where <file> is the file that has the tensor.
    [[nodiscard]] std::string tensor_title(const std::string& name) const;
    [[noreturn]] void fail_key(const std::string& key, const std::string& what) const;
    [[noreturn]] void fail_tensor(const std::string& name, const std::string& what) const;

private:
    enum class Alone { part };
    File(const std::filesystem::path& path, Alone); ///< Opens a file without its other parts.

    void read_header();
    void check_alone() const;
    void join_parts(std::uint64_t count);
    void join(File& part, std::uint64_t number, std::uint64_t count);
    void check_same_keys(const File& part) const;
    /// Returns the type and the bytes of a value.
    [[nodiscard]] std::vector<std::uint8_t> stored(const std::string& key) const;
    void read_keys(Cursor& cursor, std::uint64_t count);
    void read_tensors(Cursor& cursor, std::uint64_t count);
    Tensor read_tensor(Cursor& cursor, const std::string& name) const;
    void place_tensors(std::uint64_t infos_end);
    void check_blocks(const Tensor& tensor, std::uint64_t first,
                      std::span<const float> values) const;
    const Value* array(const std::string& key, std::uint64_t most) const;
    std::uint64_t take_whole(Cursor& cursor, const std::string& key, std::uint32_t type) const;
    std::int64_t take_integer(Cursor& cursor, const std::string& key, std::uint32_t type) const;

    std::shared_ptr<const InputFile> file_;
    std::string source_;
    std::map<std::string, Value> values_;
    std::map<std::string, Tensor> tensors_;
};

} // namespace levee::gguf
