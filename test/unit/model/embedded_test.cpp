// SPDX-License-Identifier: Apache-2.0
// Tests the shipped model and its stories.
#include "platform/input/model/file.hpp"
#include "platform/input/model/model_image.hpp"
#include "platform/input/model/recall_stories.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

using namespace levee;

namespace {

const std::filesystem::path embedded = LEVEE_EMBEDDED_MODEL;

} // namespace

TEST_CASE("The embedded image is plain multi-head, tied, and at most a megabyte")
{
    const ModelImage image = ModelImage::open(embedded / "stories.levee");
    CHECK(image.bytes().size() <= 1'000'000);
    CHECK(image.shape().kv_heads == image.shape().heads);
    CHECK(image.shape().tied);
    CHECK(image.shape().max_context == 512);
    CHECK(image.weight_type() == LEVEE_TYPE_INT8);
    CHECK(image.tokenizer().kind() == LEVEE_TOKENIZER_WORD);
}

TEST_CASE("The held-out stories use the model's words and fit its context")
{
    const ModelImage image = ModelImage::open(embedded / "stories.levee");
    const Tokenizer& tokenizer = image.tokenizer();
    const auto stories = read_recall_stories(embedded / "recall_stories.txt");
    CHECK(stories.size() >= 100);
    for (const RecallStory& story : stories) {
        CHECK(story.candidates.size() == 5);
        const auto text = tokenizer.encode(story.text, true);
        CHECK(tokenizer.decode(text) == story.text);
        size_t tokens = text.size();
        for (const RecallQuestion& asked : story.questions) {
            tokens += tokenizer.encode(asked.question, false).size() + 2;
            CHECK(tokenizer.encode(asked.answer, false).size() == 1);
        }
        CHECK(tokens <= image.shape().max_context);
    }
}

TEST_CASE("Every answer is the last holder that the story names")
{
    for (const RecallStory& story : read_recall_stories(embedded / "recall_stories.txt")) {
        for (const RecallQuestion& asked : story.questions) {
            const std::string fact =
                asked.question.substr(asked.question.find('?') + 6); // This part follows "? The ".
            const size_t last = story.text.rfind(fact);
            REQUIRE(last != std::string::npos);
            CHECK(story.text.compare(last + fact.size() + 1, asked.answer.size() + 1,
                                     asked.answer + ".") == 0);
        }
    }
}

TEST_CASE("Bad story files are refused with the line")
{
    const auto path = std::filesystem::temp_directory_path() / "levee_recall_test.txt";
    const auto error_of = [&](const std::string& text) -> std::string {
        write_file(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
        try {
            read_recall_stories(path);
        } catch (const ModelError& error) {
            const std::string what = error.what();
            return what.substr(what.find("levee_recall_test.txt"));
        }
        return "no error";
    };
    CHECK(error_of("# remark\n\nA story.\tAnn Tom\tWho?\tTom\n") == "no error");
    CHECK_THAT(error_of("# remark\nA story.\tAnn Tom\tWho?\n"),
               Catch::StartsWith("levee_recall_test.txt:2: 3 fields"));
    CHECK(error_of("A story.\tAnn Tom\tWho?\tEve\n") ==
          "levee_recall_test.txt:1: answer 'Eve', expected one of: Ann Tom");
    CHECK_THAT(error_of("A story.\tAnn\tWho?\tAnn\n"), Catch::Contains("or one candidate"));
    CHECK(error_of("A story.\t\tWho?\tEve of Ulm\n") == "no error");
    CHECK_THAT(error_of("A story.\t\t\tEve\n"), Catch::Contains("an empty field"));
    CHECK_THAT(error_of("# nothing\n"), Catch::Contains("no stories"));
    CHECK(error_of("A story.\tAnn Ann\tWho?\tAnn\n") ==
          "levee_recall_test.txt:1: candidates 'Ann Ann', expected each of them once");
    // A carriage return or an extra blank does not become part of a word.
    REQUIRE(error_of("A story.\tAnn  Tom\tWho?\tTom\r\n") == "no error");
    const RecallStory story = read_recall_stories(path).at(0);
    CHECK(story.candidates == std::vector<std::string>{"Ann", "Tom"});
    CHECK(story.questions.at(0).answer == "Tom");
    // Escapes give a text its line ends.
    REQUIRE(error_of("One.\\nTwo: C:\\\\new.\t\tWho?\tTom\n") == "no error");
    CHECK(read_recall_stories(path).at(0).text == "One.\nTwo: C:\\new.");
    CHECK(
        error_of("A story.\t\tWho?\tEve\\r\n") ==
        "levee_recall_test.txt:1: '\\r', expected '\\n' for a line end, '\\t' for a tab or '\\\\' "
        "for a backslash");
    CHECK_THAT(error_of("A story.\t\tWho?\tEve\\\n"), Catch::Contains(": '\\', expected"));
    std::filesystem::remove(path);
}
