// SPDX-License-Identifier: Apache-2.0
// Tests images that are written row by row.
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/file.hpp"
#include "platform/input/model/image_writer.hpp"
#include "platform/input/model/model_image.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>

using namespace levee;

namespace {

/// A temporary folder.
class Folder {
public:
    Folder() { std::filesystem::create_directories(path_); }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    size_t files() const
    {
        return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                 std::filesystem::directory_iterator()));
    }

private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() /
        ("levee_writer_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
};

// Returns a shape whose embedding has 2^21 values, which are written in several pieces.
ModelShape wide()
{
    return llama_shape(512, 48, 1, 4, 2, 4096, 64);
}

ModelSource source_of(const ModelShape& shape)
{
    return synthetic_source(shape, {.seed = 5, .name = "s"});
}

} // namespace

TEST_CASE("An image in a file equals the image in memory, and a run can read it")
{
    const Folder folder;
    for (const levee_type weights : {LEVEE_TYPE_INT8, LEVEE_TYPE_INT4, LEVEE_TYPE_FP16}) {
        std::uint64_t last = 0;
        const std::uint64_t bytes = write_image(source_of(wide()), weights, folder / "x.levee",
                                                [&](std::uint64_t done, std::uint64_t total) {
                                                    CHECK((done > last && done <= total));
                                                    last = done;
                                                });
        CHECK(bytes == std::filesystem::file_size(folder / "x.levee"));
        CHECK(last == bytes);
        CHECK(read_file(folder / "x.levee") == image_in_memory(source_of(wide()), weights));
        CHECK_NOTHROW(ModelImage::open(folder / "x.levee"));
    }
    CHECK(folder.files() == 1);
}

TEST_CASE("An unfinished image is not in its folder, so a killed import leaves nothing")
{
    const Folder folder;
    const int nameless = ::open((folder / ".").c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (nameless < 0) {
        WARN("skipped: the file system of " << (folder / ".") << " has no files without a name");
        return;
    }
    ::close(nameless);
    std::size_t looked = 0;
    write_image(source_of(wide()), LEVEE_TYPE_INT8, folder / "x.levee",
                [&](std::uint64_t, std::uint64_t) {
                    CHECK(folder.files() == 0);
                    ++looked;
                });
    CHECK(looked > 1);
    CHECK(folder.files() == 1);
}

TEST_CASE("Tensors are requested in the image's order, each row once")
{
    ModelSource source = source_of(wide());
    const auto draw = source.rows;
    std::uint64_t asked = 0;
    std::uint32_t expected_row = 0;
    source.rows = [&](const TensorSpec& spec, std::uint32_t first, std::span<float> out) {
        CHECK(first == expected_row);
        CHECK(out.size() % spec.cols == 0);
        CHECK(out.size() <= 1U << 20);
        expected_row = static_cast<std::uint32_t>(first + out.size() / spec.cols) % spec.rows;
        asked += out.size();
        draw(spec, first, out);
    };
    image_in_memory(source, LEVEE_TYPE_INT8);
    CHECK(asked == 4096 * 512 + 512 + 512 * 512 * 2 + 256 * 512 * 2 + 512 + 48 * 512 * 3 + 512);
}

TEST_CASE("With one scale per tensor, each matrix of a layer has one, and others one per row")
{
    const Folder folder;
    WeightFormat format(LEVEE_TYPE_INT8);
    format.scales = ScaleRule::Tensor;
    // These rows are written in several pieces.
    const ModelShape long_rows = llama_shape(2048, 1500, 1, 4, 2, 300, 64);
    write_image(source_of(long_rows), format, folder / "x.levee");
    write_image(source_of(long_rows), LEVEE_TYPE_INT8, folder / "rows.levee");
    const ModelImage image = ModelImage::open(folder / "x.levee");
    const ModelImage by_row = ModelImage::open(folder / "rows.levee");
    for (const levee_tensor_kind kind : {LEVEE_TENSOR_WQ, LEVEE_TENSOR_W_DOWN}) {
        const TensorView matrix = image.tensor(kind, 0), other = by_row.tensor(kind, 0);
        float largest = 0.0F;
        for (std::uint32_t row = 0; row < other.entry.rows; ++row)
            largest = std::max(largest, other.row_scales(row).front());
        for (std::uint32_t row = 0; row < matrix.entry.rows; ++row)
            REQUIRE(matrix.row_scales(row).front() == largest);
    }
    const TensorView table = image.tensor(LEVEE_TENSOR_EMBEDDING);
    CHECK(table.row_scales(0).front() != table.row_scales(1).front());
}

TEST_CASE("With one scale per tensor, each matrix of each expert has its own")
{
    WeightFormat format(LEVEE_TYPE_INT8);
    format.scales = ScaleRule::Tensor;
    ModelShape shape = llama_shape(64, 32, 1, 4, 2, 300, 64);
    shape.experts = 3;
    shape.chosen = 1;
    const Folder folder;
    write_image(source_of(shape), format, folder / "x.levee");
    write_image(source_of(shape), LEVEE_TYPE_INT8, folder / "rows.levee");
    const ModelImage image = ModelImage::open(folder / "x.levee");
    const ModelImage by_row = ModelImage::open(folder / "rows.levee");
    for (const auto& [kind, rows] : {std::pair{LEVEE_TENSOR_W_EXPERTS_UP, shape.hidden},
                                     std::pair{LEVEE_TENSOR_W_EXPERTS_DOWN, shape.dim}}) {
        const TensorView all = image.tensor(kind, 0), other = by_row.tensor(kind, 0);
        for (std::uint32_t first = 0; first < all.entry.rows; first += rows) {
            float largest = 0.0F;
            for (std::uint32_t row = first; row < first + rows; ++row)
                largest = std::max(largest, other.row_scales(row).front());
            for (std::uint32_t row = first; row < first + rows; ++row)
                REQUIRE(all.row_scales(row).front() == largest);
        }
        CHECK(all.row_scales(0).front() != all.row_scales(rows).front());
    }
}

TEST_CASE("After an error the old file stays, and nothing else is left")
{
    const Folder folder;
    const std::string before = "before";
    write_file(folder / "x.levee", {reinterpret_cast<const std::uint8_t*>(before.data()), 6});
    ModelSource source = source_of(wide());
    source.rows = [draw = source.rows](const TensorSpec& spec, std::uint32_t first,
                                       std::span<float> out) {
        draw(spec, first, out);
        if (spec.kind == LEVEE_TENSOR_EMBEDDING && first > 0)
            out[spec.cols + 3] = NAN;
    };
    CHECK_THROWS_WITH(write_image(source, LEVEE_TYPE_INT8, folder / "x.levee"),
                      "s: tensor EMBEDDING: row 2049, column 3: nan, expected a finite INT8 value");
    source.place = [](const TensorSpec&, std::uint32_t row) {
        return RowPlace{"f.x: tensor e", row};
    };
    CHECK_THROWS_WITH(write_image(source, LEVEE_TYPE_INT8, folder / "x.levee"),
                      Catch::StartsWith("f.x: tensor e: row 2049, column 3"));
    CHECK(std::filesystem::file_size(folder / "x.levee") == 6);
    CHECK(folder.files() == 1);
    CHECK_THROWS_WITH(write_image(source, LEVEE_TYPE_INT8, folder / "no"), Catch::Contains("row"));
    CHECK_THROWS_WITH(write_image(source, LEVEE_TYPE_INT8, (folder / "no") / "x"),
                      Catch::EndsWith("no/x: cannot write: No such file or directory"));
    CHECK_THROWS_WITH(write_image(source, LEVEE_TYPE_INT8, folder / "."),
                      Catch::Contains("is not a regular file"));
    CHECK_THROWS_WITH(write_image(source, LEVEE_TYPE_INT8, "/dev/null"),
                      Catch::Contains("is not a regular file"));
}

TEST_CASE("A file that is being read is not overwritten, under any name")
{
    const Folder folder;
    const std::string before = "before";
    write_file(folder / "x.gguf", {reinterpret_cast<const std::uint8_t*>(before.data()), 6});
    std::filesystem::create_hard_link(folder / "x.gguf", folder / "y.levee");
    {
        const InputFile file(folder / "x.gguf");
        for (const char* name : {"x.gguf", "y.levee"})
            CHECK_THROWS_WITH(
                write_image(source_of(wide()), LEVEE_TYPE_INT8, folder / name),
                Catch::EndsWith("is an input file, expected another name for the output"));
        CHECK(std::filesystem::file_size(folder / "x.gguf") == 6);
    }
    CHECK_NOTHROW(write_image(source_of(wide()), LEVEE_TYPE_INT8, folder / "y.levee"));
}

TEST_CASE("A link to an image remains a link")
{
    const Folder folder;
    std::filesystem::create_directories(folder / "in");
    std::filesystem::create_symlink("in/real", folder / "x.levee");
    write_image(source_of(wide()), LEVEE_TYPE_INT8, folder / "x.levee");
    CHECK(std::filesystem::is_symlink(folder / "x.levee"));
    CHECK_NOTHROW(ModelImage::open((folder / "in") / "real"));
}

TEST_CASE("The writer refuses a source that does not fit its shape")
{
    const auto error_of = [](const ModelSource& source, levee_type weights = LEVEE_TYPE_INT8) {
        try {
            image_in_memory(source, weights);
        } catch (const ModelError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    CHECK(error_of(source_of(wide())) == "no error");
    ModelSource source = source_of(wide());
    source.tokenizer = Tokenizer::numbers(7, "s");
    CHECK(error_of(source) == "s: tokenizer of 7 tokens, expected the model's vocabulary of 4096");
    source = source_of(wide());
    source.phases.pop_back();
    CHECK(error_of(source) == "s: tensor ROPE_PHASE: 63 values, expected 64");
    source = source_of(wide());
    source.name = std::string(32, 'n');
    CHECK_THAT(error_of(source), Catch::Contains("32 bytes, expected at most 31"));
    CHECK_THAT(error_of(source_of(wide()), LEVEE_TYPE_INT16),
               Catch::Contains("weights of type INT16, expected"));
    source = source_of(wide());
    source.shape.head_dim = 3;
    CHECK_THAT(error_of(source), Catch::Contains("header.head_dim: 3"));
}
