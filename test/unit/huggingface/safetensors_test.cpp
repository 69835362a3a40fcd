// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/safetensors.hpp"
#include "platform/input/model/model_shape.hpp"
#include "test/unit/huggingface/checkpoint.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace levee;
using levee::test::safetensors;

namespace {

using Floats = std::vector<float>;

const std::vector<test::RawTensor> two{{"a", {2, 3}, {1, 2, 3, 4, 5, 6}},
                                       {"b", {2}, {-1.5F, 0.25F}}};

Floats all_values(const hf::StoredTensor& tensor)
{
    Floats values(tensor.values);
    hf::read_values(tensor, 0, values);
    return values;
}

hf::StoredTensors read(const std::string& bytes)
{
    const Folder folder;
    return hf::read_safetensors(folder.write("model.safetensors", bytes));
}

/// Returns the error message for a header followed by `data` bytes.
std::string refusal(const std::string& header, std::size_t data = 16)
{
    try {
        (void)read(safetensors(header, std::string(data, '\0')));
    } catch (const ModelError& error) {
        const std::string what = error.what();
        return what.substr(what.find("model.safetensors"));
    }
    return "accepted";
}

std::string entry(const std::string& type, const std::string& shape, const std::string& offsets)
{
    return R"({"a": {"dtype": ")" + type + R"(", "shape": )" + shape + R"(, "data_offsets": )" +
           offsets + "}}";
}

} // namespace

TEST_CASE("Values of the three types are exact")
{
    const std::string table = R"({"bf": {"dtype": "BF16", "shape": [3], "data_offsets": [0, 6]},
        "f": {"dtype": "F32", "shape": [1], "data_offsets": [6, 10]},
        "h": {"dtype": "F16", "shape": [3], "data_offsets": [10, 16]}})";
    // These are 1.5, -2 and the smallest positive number.
    const std::string data("\xC0\x3F\x00\xC0\x01\x00"
                           "\x00\x00\x20\x40"          // This is 2.5.
                           "\x00\x3E\x01\x00\x00\xBC", // These are 1.5, 2^-24 and -1.
                           16);
    const Folder folder;
    const auto tensors =
        hf::read_safetensors(folder.write("x.safetensors", safetensors(table, data)));
    CHECK(all_values(tensors.at("bf")) == Floats{1.5F, -2.0F, 0x1p-133F});
    CHECK(all_values(tensors.at("f")) == Floats{2.5F});
    CHECK(all_values(tensors.at("h")) == Floats{1.5F, 0x1p-24F, -1.0F});
    Floats part(2);
    hf::read_values(tensors.at("h"), 1, part);
    CHECK(part == Floats{0x1p-24F, -1.0F});
}

TEST_CASE("Tables may be in any order, padded, with metadata and empty tensors")
{
    const Folder folder;
    for (const bool backwards : {false, true})
        for (const std::size_t padding : {0, 1, 7})
            for (const char* type : {"F32", "F16", "BF16"}) {
                const test::SafetensorsStyle style{
                    type, backwards, padding,
                    R"("__metadata__":{"format":"pt","é":"x"},"none":{"dtype":"I64","shape":[0,7],"data_offsets":[0,0]},)"};
                const auto tensors = hf::read_safetensors(
                    folder.write("model.safetensors", safetensors(two, style)));
                CHECK(tensors.size() == 3);
                CHECK(all_values(tensors.at("a")) == two[0].values);
                CHECK(all_values(tensors.at("b")) == two[1].values);
                CHECK(tensors.at("a").shape == two[0].shape);
            }
}

TEST_CASE("Wrong tables are refused by tensor and key")
{
    CHECK(refusal(entry("F32", "[2, 2]", "[0, 16]")) == "accepted");
    CHECK(refusal(entry("F32", "[4]", "[0, 16]"), 17) ==
          "model.safetensors: 1 bytes after the last tensor, expected none");
    const auto refuses = [](const std::string& header, const std::string& what) {
        INFO(header);
        CHECK_THAT(refusal(header), Catch::Contains(what));
    };
    refuses(entry("F4", "[4]", "[0, 2]"), "a.dtype: \"F4\", expected a safetensors type");
    refuses(entry("F32", "[3]", "[0, 16]"), "a.data_offsets: [0,16], expected 12 bytes");
    refuses(entry("F32", "[4]", "[0, 20]"),
            "a.data_offsets: [0,20], expected a begin and an end within");
    refuses(entry("F32", "[4]", "[16, 0]"), "a.data_offsets");
    refuses(entry("F32", "[4]", "[0]"), "a.data_offsets: [0], expected a begin and an end");
    refuses(entry("F32", "[3]", "[4, 16]"), "a: data from byte 4, expected 0");
    refuses(entry("F32", "[-4]", "[0, 16]"), "a.shape[0]: -4, expected an integer from 0");
    refuses(entry("F32", "[2.0, 2]", "[0, 16]"), "a.shape[0]: 2.0");
    refuses(entry("F32", "[4294967296, 4294967296]", "[0, 0]"), "a.shape");
    refuses(entry("F32", "[1152921504606846976]", "[0, 0]"),
            "a.shape: [1152921504606846976], expected");
    refuses(R"({"a": {"shape": [4], "data_offsets": [0, 16]}})", "a: has no 'dtype'");
    refuses(R"({"a": 4})", "a: 4, expected an object");
    refuses(R"({"a": {}, "a": {}})", "key \"a\": given twice");
    refuses(R"({"__metadata__": {"x": 1}})", "__metadata__.x: 1, expected a string");
    refuses(" " + entry("F32", "[4]", "[0, 16]"), "the header does not begin with '{'");
    refuses(entry("F32", "[4]", "[0, 16]") + "x", "is not JSON");
    refuses(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                "b": {"dtype": "F32", "shape": [3], "data_offsets": [4, 16]}})",
            "b: data from byte 4, expected 8");
    refuses(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                "b": {"dtype": "F32", "shape": [1], "data_offsets": [12, 16]}})",
            "b: data from byte 12, expected 8");
}

TEST_CASE("A file cut anywhere is refused, and a damaged one is at worst refused")
{
    const std::string whole = safetensors(two);
    for (std::size_t size = 0; size < whole.size(); ++size)
        CHECK_THROWS_AS(read(whole.substr(0, size)), ModelError);
    CHECK_THROWS_WITH(read(std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F{}", 10)),
                      Catch::Contains("a header of 9223372036854775807 bytes, expected at most 2"));
    std::mt19937 random(1);
    for (int round = 0; round < 1000; ++round) {
        std::string damaged = whole;
        damaged[random() % damaged.size()] = static_cast<char>(random());
        try {
            for (const auto& [name, tensor] : read(damaged))
                if (hf::is_readable(tensor))
                    (void)all_values(tensor);
        } catch (const ModelError&) {
            continue;
        }
    }
}

TEST_CASE("Shards must have the tensors that their index lists")
{
    const Folder folder;
    const auto index = [&](const std::string& map) {
        folder.write("model.safetensors.index.json",
                     R"({"metadata": {"total_size": 32}, "weight_map": {)" + map + "}}");
        return [&] { (void)hf::read_safetensors_folder(folder.path()); };
    };
    CHECK_THROWS_WITH(hf::read_safetensors_folder(folder.path()),
                      Catch::Contains("has neither model.safetensors nor"));
    folder.write("pytorch_model.bin", "");
    CHECK_THROWS_WITH(hf::read_safetensors_folder(folder.path()),
                      Catch::Contains("pytorch_model.bin: a PyTorch file"));
    folder.write("1.safetensors", safetensors(std::span(two).first(1)));
    folder.write("2.safetensors", safetensors(std::span(two).last(1)));
    index(R"("b": "2.safetensors", "a": "1.safetensors")")();
    CHECK(all_values(hf::read_safetensors_folder(folder.path()).at("b")) == two[1].values);
    CHECK_THROWS_WITH(index(R"("a": "1.safetensors", "b": "3.safetensors")")(),
                      Catch::Contains("3.safetensors: cannot"));
    CHECK_THROWS_WITH(index(R"("a": "2.safetensors", "b": "2.safetensors")")(),
                      Catch::Contains("weight_map.a: '2.safetensors', which has no such tensor"));
    folder.write("2.safetensors", safetensors(two));
    CHECK_THROWS_WITH(
        index(R"("a": "1.safetensors", "b": "2.safetensors")")(),
        Catch::Contains(
            "2.safetensors: tensor a: model.safetensors.index.json does not list this tensor"));
    CHECK_THROWS_WITH(
        index(R"("a": "../1.safetensors")")(),
        Catch::Contains("expected the name of a .safetensors file in the same folder"));
    CHECK_THROWS_WITH(index(R"("a": 1)")(), Catch::Contains("weight_map.a: 1, expected a string"));
}
