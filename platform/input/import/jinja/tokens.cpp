// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/jinja/tokens.hpp"

#include "platform/input/import/jinja/value.hpp"
#include "platform/input/model/chat_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace levee::jinja {

namespace {

bool is_letter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

class Divider {
public:
    explicit Divider(std::string_view text) : text_(text)
    {
        // Jinja drops a single line end at the end of a template.
        if (text_.ends_with('\n'))
            text_.remove_suffix(1);
    }

    std::vector<Part> divide()
    {
        while (at_ < text_.size())
            take_part();
        return std::move(parts_);
    }

private:
    [[noreturn]] void fail(const std::string& reason) const
    {
        throw Unable("line " + std::to_string(line_) + ": " + reason);
    }

    void advance(std::size_t bytes)
    {
        line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, bytes), '\n'));
        at_ += bytes;
    }

    char peek(std::size_t ahead = 0) const
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    std::size_t next_tag() const
    {
        std::size_t tag = at_;
        while ((tag = text_.find('{', tag)) != std::string_view::npos) {
            const char kind = tag + 1 < text_.size() ? text_[tag + 1] : '\0';
            if (kind == '{' || kind == '%' || kind == '#')
                return tag;
            ++tag;
        }
        return text_.size();
    }

    void take_part()
    {
        const std::size_t tag = next_tag();
        take_text(text_.substr(at_, tag - at_), tag);
        advance(tag - at_);
        if (at_ == text_.size())
            return;
        const char kind = peek(1);
        advance(2);
        if (peek() == '-' || peek() == '+')
            advance(1);
        if (kind == '#')
            take_comment();
        else
            take_tag(kind == '{');
    }

    void take_text(std::string_view text, std::size_t tag)
    {
        const bool after_line_end = at_ == 0 || text_[at_ - 1] == '\n';
        if (strips_next_) {
            const std::string_view rest = text;
            text = stripped(text);
            text = rest.substr(text.empty() ? rest.size()
                                            : static_cast<std::size_t>(text.data() - rest.data()));
        }
        strips_next_ = false;
        if (tag < text_.size()) {
            const char mark = tag + 2 < text_.size() ? text_[tag + 2] : '\0';
            if (mark == '-') {
                const std::string_view inner = stripped(text);
                text = inner.empty()
                           ? inner
                           : text.substr(0, static_cast<std::size_t>(inner.data() + inner.size() -
                                                                     text.data()));
            } else if (mark != '+' && text_[tag + 1] != '{') {
                const std::size_t line_end = text.rfind('\n');
                const std::size_t begin = line_end == std::string_view::npos ? 0 : line_end + 1;
                if ((begin > 0 || after_line_end) &&
                    text.find_first_not_of(" \t\r\v\f", begin) == std::string_view::npos)
                    text = text.substr(0, begin);
            }
        }
        if (!text.empty())
            parts_.push_back({Part::Kind::text, line_, std::string(text), {}});
    }

    /// Handles white space after a tag that ends with `mark`. '-' drops all of it. Otherwise a line
    /// end after the tag is dropped if `trims` is set and the mark is not '+'.
    void finish_tag(char mark, bool trims)
    {
        if (mark == '-')
            strips_next_ = true;
        else if (mark != '+' && trims && peek() == '\n')
            advance(1);
    }

    void take_comment()
    {
        const std::size_t end = text_.find("#}", at_);
        if (end == std::string_view::npos)
            fail("a comment has no end");
        const char mark = end > at_ ? text_[end - 1] : '\0';
        advance(end + 2 - at_);
        finish_tag(mark, true);
    }

    void take_tag(bool prints)
    {
        Part part{prints ? Part::Kind::print : Part::Kind::statement, line_, {}, {}};
        const std::string_view end = prints ? "}}" : "%}";
        std::size_t depth = 0;
        while (true) {
            while (is_blank(peek()))
                advance(1);
            if (at_ == text_.size())
                fail("a tag has no end");
            const bool marked = peek() == '-' || (peek() == '+' && !prints);
            if (depth == 0 && text_.substr(at_ + (marked ? 1 : 0)).starts_with(end)) {
                const char mark = marked ? peek() : '\0';
                advance(end.size() + (marked ? 1 : 0));
                part.words.push_back({WordKind::end, "the end of the tag", line_});
                parts_.push_back(std::move(part));
                finish_tag(mark, !prints);
                return;
            }
            part.words.push_back(take_word());
            const Word& word = part.words.back();
            if (word.kind == WordKind::sign &&
                (word.text == "(" || word.text == "[" || word.text == "{"))
                ++depth;
            if (word.kind == WordKind::sign &&
                (word.text == ")" || word.text == "]" || word.text == "}"))
                depth -= depth > 0 ? 1 : 0;
        }
    }

    Word take_word()
    {
        const std::size_t line = line_;
        const char c = peek();
        if (c == '\'' || c == '"')
            return {WordKind::text, take_quoted(), line};
        std::size_t bytes = 0;
        if (is_digit(c)) {
            while (is_digit(peek(bytes)))
                ++bytes;
            bool real = peek(bytes) == '.' && is_digit(peek(bytes + 1));
            if (real)
                for (++bytes; is_digit(peek(bytes));)
                    ++bytes;
            const char sign = peek(bytes + 1);
            const std::size_t marks = sign == '+' || sign == '-' ? 2 : 1;
            if ((peek(bytes) == 'e' || peek(bytes) == 'E') && is_digit(peek(bytes + marks))) {
                real = true;
                for (bytes += marks; is_digit(peek(bytes));)
                    ++bytes;
            }
            return {real ? WordKind::real : WordKind::whole, take(bytes), line};
        }
        if (is_letter(c)) {
            while (is_letter(peek(bytes)))
                ++bytes;
            return {WordKind::name, take(bytes), line};
        }
        constexpr std::array<std::string_view, 7> pairs{"==", "!=", "<=", ">=", "//", "**", "~"};
        for (const std::string_view sign : pairs)
            if (text_.substr(at_).starts_with(sign))
                return {WordKind::sign, take(sign.size()), line};
        if (std::string_view("()[]{}.,:|+-*/%<>=").find(c) == std::string_view::npos)
            fail("this character is not allowed in an expression");
        return {WordKind::sign, take(1), line};
    }

    std::string take(std::size_t bytes)
    {
        std::string taken(text_.substr(at_, bytes));
        advance(bytes);
        return taken;
    }

    /// Reads an escape as Python does. A backslash before any other character stays.
    void take_escape(std::string& text)
    {
        constexpr std::string_view written = "nrtabfv\\'\"", meant = "\n\r\t\a\b\f\v\\'\"";
        const char c = peek();
        const std::size_t known = written.find(c);
        if (known != std::string_view::npos) {
            text += meant[known];
        } else if (c == 'x' || c == 'u') {
            take_code(text, c == 'x' ? 2 : 4);
        } else if (is_digit(c) || c == 'N' || c == 'U') {
            fail("escapes with octal numbers, names or eight digits are not supported");
        } else if (c != '\n') {
            text += '\\';
            text += c;
        }
    }

    /// Reads a character's hexadecimal number and appends the character as UTF-8.
    void take_code(std::string& text, std::size_t digits)
    {
        const std::string_view number = text_.substr(std::min(at_ + 1, text_.size()), digits);
        unsigned code = 0;
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), code, 16);
        if (error != std::errc{} || end != number.data() + digits ||
            (code >= 0xd800 && code < 0xe000))
            fail("an escape in a text does not give the number of a character");
        advance(digits);
        const auto byte = [&](unsigned value) { text += static_cast<char>(value); };
        if (code < 0x80) {
            byte(code);
        } else if (code < 0x800) {
            byte(0xc0U | code >> 6U);
            byte(0x80U | (code & 0x3fU));
        } else {
            byte(0xe0U | code >> 12U);
            byte(0x80U | (code >> 6U & 0x3fU));
            byte(0x80U | (code & 0x3fU));
        }
    }

    std::string take_quoted()
    {
        const char quote = peek();
        std::string text;
        for (advance(1); peek() != quote; advance(1)) {
            if (at_ >= text_.size())
                fail("a text has no end");
            if (peek() != '\\') {
                text += peek();
                continue;
            }
            advance(1);
            if (at_ >= text_.size())
                fail("a text has no end");
            take_escape(text);
        }
        advance(1);
        return text;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    bool strips_next_ = false;
    std::vector<Part> parts_;
};

/// Replaces CR LF and CR by LF, as Jinja does for all line ends.
std::string with_line_feeds(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r')
            result += text[i];
        else if (i + 1 == text.size() || text[i + 1] != '\n')
            result += '\n';
    }
    return result;
}

} // namespace

std::vector<Part> parts_of(std::string_view text)
{
    return Divider(with_line_feeds(text)).divide();
}

} // namespace levee::jinja
