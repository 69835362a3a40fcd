#include "firmware/llm/tokenizer.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stdbool.h>
#include <stdio.h>

void tokenizer_open(struct tokenizer* tokenizer, const struct model* model)
{
    const uint64_t address = model->address + model->header.tokenizer_offset;
    if (model->header.tokenizer_bytes == 0) {
        tokenizer->header.kind = LEVEE_TOKENIZER_NONE;
        return;
    }
    copy_in(&tokenizer->header, address, sizeof tokenizer->header, "the tokenizer");
    if (tokenizer->header.kind == LEVEE_TOKENIZER_NONE)
        return;
    if (tokenizer->header.kind > LEVEE_TOKENIZER_WORD)
        fatal(EXIT_REFUSED, "tokenizer: kind %lu is not known",
              (unsigned long)tokenizer->header.kind);
    if (tokenizer->header.vocab != model->header.vocab)
        fatal(EXIT_REFUSED, "tokenizer: %lu tokens, but the model has %lu",
              (unsigned long)tokenizer->header.vocab, (unsigned long)model->header.vocab);
    tokenizer->entries = address + sizeof tokenizer->header;
    tokenizer->text =
        tokenizer->entries + (uint64_t)tokenizer->header.vocab * sizeof(struct levee_token_entry);
    if (core_window(tokenizer->text, tokenizer->header.text_bytes) == 0)
        fatal(EXIT_REFUSED, "tokenizer: outside what the core can see of the memories");
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n';
}

/* Words are stored without the blanks between them. */
static void separate_words(const struct tokenizer* tokenizer, uint32_t previous, char first)
{
    bool start = previous == LEVEE_NO_TOKEN || previous == tokenizer->header.bos;
    if (tokenizer->header.kind == LEVEE_TOKENIZER_WORD && !start && !is_blank(first))
        putchar(' ');
}

void tokenizer_print(const struct tokenizer* tokenizer, uint32_t previous, uint32_t token)
{
    if (tokenizer->header.kind == LEVEE_TOKENIZER_NONE) {
        printf(previous == LEVEE_NO_TOKEN ? "%lu" : " %lu", (unsigned long)token);
        return;
    }
    if (token >= tokenizer->header.vocab || token == tokenizer->header.bos ||
        token == tokenizer->header.eos)
        return;
    struct levee_token_entry entry;
    copy_in(&entry, tokenizer->entries + (uint64_t)token * sizeof entry, sizeof entry, "a token");
    const uintptr_t text = core_window(tokenizer->text + entry.offset, entry.bytes);
    for (uint32_t i = 0; i < entry.bytes; ++i) {
        char c = (char)mmio_read8(text + i);
        if (i == 0) {
            separate_words(tokenizer, previous, c);
            /* A llama2.c text starts with a blank that its encoder put there. */
            if (tokenizer->header.kind == LEVEE_TOKENIZER_BPE && c == ' ' &&
                previous == tokenizer->header.bos)
                continue;
        }
        putchar(c);
    }
}
