// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/tokenizer.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

#include <stdio.h>

/* Reads the rules for blanks. tokenizer_print() omits the blank of a token that follows BOS. Some
 * tokenizers, however, put no blank before a text. For these, this function replaces BOS in the
 * header by a number that no token has, so that no blank is omitted. BOS itself is a special token
 * and prints nothing. */
static void read_rules(struct tokenizer* tokenizer, uint64_t address)
{
    const uint64_t end = tokenizer->text - address + tokenizer->header.text_bytes;
    struct levee_tokenizer_rules rules;
    copy_in(&rules, address + (end + 7) / 8 * 8, sizeof rules, "the tokenizer's rules");
    if ((rules.flags & LEVEE_TOKENIZER_BLANK_FIRST) == 0)
        tokenizer->header.bos = LEVEE_NO_TOKEN - 1;
}

void tokenizer_open(struct tokenizer* tokenizer, const struct model* model)
{
    const uint64_t address = model->address + model->header.tokenizer_offset;
    if (model->header.tokenizer_bytes == 0) {
        tokenizer->header.kind = LEVEE_TOKENIZER_NONE;
        tokenizer->silent = true;
        return;
    }
    copy_in(&tokenizer->header, address, sizeof tokenizer->header, "the tokenizer");
    if (tokenizer->header.kind == LEVEE_TOKENIZER_NONE)
        return;
    if (tokenizer->header.kind > LEVEE_TOKENIZER_RULES)
        fatal(EXIT_REFUSED, "tokenizer: unknown kind %lu", (unsigned long)tokenizer->header.kind);
    if (tokenizer->header.vocab != model->header.vocab)
        fatal(EXIT_REFUSED, "tokenizer: %lu tokens, but the model has %lu",
              (unsigned long)tokenizer->header.vocab, (unsigned long)model->header.vocab);
    tokenizer->entries = address + sizeof tokenizer->header;
    tokenizer->text =
        tokenizer->entries + (uint64_t)tokenizer->header.vocab * sizeof(struct levee_token_entry);
    if (core_window(tokenizer->text, tokenizer->header.text_bytes) == 0)
        fatal(EXIT_REFUSED, "tokenizer: it is outside the memory that the core can address");
    if (tokenizer->header.kind == LEVEE_TOKENIZER_RULES)
        read_rules(tokenizer, address);
}

void tokenizer_print(const struct tokenizer* tokenizer, uint32_t previous, uint32_t token)
{
    if (tokenizer->silent)
        return;
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
        const char c = (char)mmio_read8(text + i);
        /* A token that begins a word includes the blank before the word. At the start of a text
         * this blank is omitted. */
        if (i != 0 || c != ' ' || previous != tokenizer->header.bos)
            putchar(c);
    }
}
