// SPDX-License-Identifier: Apache-2.0
/* The model image: weights, shapes and tokenizer in one file, with the same layout as in memory
 * (plain C, shared by the importer, the platform and firmware). It is little endian; offsets are
 * bytes from the image's start; every section is 64-byte aligned.
 *
 *   struct levee_model_header | struct levee_tensor_entry[tensor_count] | tensors | tokenizer
 *
 * Matrices are stored in the layout that products use: rows = outputs, cols = inputs, row-major,
 * with rows `row_bytes` apart. An INT8, INT4 or INT3 row has one FP32 scale (symmetric: value =
 * code * scale). With weight_group it has one scale for each group of that many columns; the last
 * group may be smaller. The scales of a row are contiguous, followed by those of the next row. WQ,
 * WK and WV of a layer are contiguous, and so are W_GATE and W_UP, including their scales and
 * biases. Firmware may treat such tensors as one matrix.
 *
 * In memory, a component with the role `weights` may store matrices of the layers in its own
 * format. The data_offset of these matrices is 0, and their scales and biases stay in the image.
 * The component's record of each matrix follows the table of tensors. Tensors that form one matrix
 * have one record.
 *
 * In memory, FP16 matrices may be stored columns first. Each stored row is then a column of the
 * matrix, and `row_bytes` is the distance between columns. The columns of tensors that form one
 * matrix are adjacent. */
#pragma once

#include <stdint.h>

#define LEVEE_MODEL_MAGIC 0x4D45564Cu     /* "LVEM" */
#define LEVEE_MODEL_VERSION 1u            /* version of the layout that firmware reads */
#define LEVEE_MODEL_VERSION_KEPT 2u       /* version 1 in memory, plus records of kept matrices */
#define LEVEE_MODEL_VERSION_GROUPED 3u    /* Version 1 with a weight_group. */
#define LEVEE_MODEL_VERSION_STRUCTURED 4u /* version 1 or 3 with `struct levee_model_structure` */
#define LEVEE_MODEL_FORMAT 2u    /* version of the file; in 2, the crc32 covers the header */
#define LEVEE_MODEL_MIN_GROUP 8u /* smallest group, so that groups of any type start at a byte */
#define LEVEE_MODEL_MAX_GROUP 32768u
#define LEVEE_NO_LAYER 0xFFFFFFFFu
#define LEVEE_NO_TOKEN 0xFFFFFFFFu

enum levee_norm { LEVEE_NORM_RMS = 1, LEVEE_NORM_LAYER = 2 };
/* X(name, number, gated). A gated network applies the function to W_GATE's result and multiplies it
 * by W_UP's result. */
#define LEVEE_ACTIVATIONS(X)                                                                       \
    X(SILU_GLU, 1, 1)                                                                              \
    X(RELU, 2, 0)                                                                                  \
    X(GELU, 3, 0) /* GELU by the exact normal distribution. */                                     \
    X(GELU_GLU, 4, 1)                                                                              \
    X(GELU_TANH, 5, 0) /* GELU's approximation with tanh */                                        \
    X(GELU_TANH_GLU, 6, 1)                                                                         \
    X(RELU_SQUARED, 7, 0)                                                                          \
    X(RELU_GLU, 8, 1)                                                                              \
    /* gpt-oss: g = min(gate, limit), u = clamp(up, -limit, limit) by the structure's              \
       glu_limit; (u + 1) * g * sigmoid(glu_alpha * g) */                                          \
    X(CLAMPED_GLU, 9, 1)
enum levee_activation {
#define LEVEE_ACTIVATION_NUMBER(name, number, gated) LEVEE_ACTIVATION_##name = (number),
    LEVEE_ACTIVATIONS(LEVEE_ACTIVATION_NUMBER)
#undef LEVEE_ACTIVATION_NUMBER
        LEVEE_ACTIVATION_END
};
#define LEVEE_ACTIVATION_BIT(name, number, gated) | (gated) << (number)
#define LEVEE_ACTIVATIONS_GATED (0u LEVEE_ACTIVATIONS(LEVEE_ACTIVATION_BIT))
static inline int levee_is_gated(uint32_t activation)
{
    return (int)(LEVEE_ACTIVATIONS_GATED >> activation & 1u);
}
enum levee_position {
    LEVEE_POSITION_ROPE_PAIRS = 1,  /* (2i, 2i + 1), llama2.c */
    LEVEE_POSITION_ROPE_HALVES = 2, /* (i, i + n/2), Hugging Face checkpoints */
    LEVEE_POSITION_LEARNED = 3
};
enum levee_tokenizer_kind {
    LEVEE_TOKENIZER_NONE = 0, /* no tokenizer: texts are token ids */
    LEVEE_TOKENIZER_BPE = 1,  /* as in llama2.c: text is split into bytes, then merged by best
                               * score */
    LEVEE_TOKENIZER_WORD = 2, /* words split at white space; each is one token */
    LEVEE_TOKENIZER_RULES = 3 /* Tokenizer with the rules of struct levee_tokenizer_rules after
                               * the tokens. */
};

enum levee_tokenizer_flag {
    LEVEE_TOKENIZER_BYTE_LEVEL = 1,     /* Merging begins with bytes; otherwise with characters. */
    LEVEE_TOKENIZER_BLANK_FIRST = 2,    /* a blank directly after BOS belongs to the format and
                                         * is not printed */
    LEVEE_TOKENIZER_WHOLE_PIECES = 4,   /* a piece that is itself a token stays one token,
                                         * regardless of merges */
    LEVEE_TOKENIZER_FUSE_UNKNOWN = 8,   /* consecutive characters without a token become one
                                         * `unknown` token */
    LEVEE_TOKENIZER_BY_SCORE = 16,      /* There is no list of merges: two neighbours that spell
                                         * a token are merged, the best score first. */
    LEVEE_TOKENIZER_BLANK_SYMBOLS = 32, /* U+2581 in pieces represents a blank */
    LEVEE_TOKENIZER_UNIGRAM = 64        /* There are no merges: pieces are split into the tokens
                                         * with the best sum of scores. */
};

/* Steps that change a text, in this order: the first `normalizer_count` steps apply to the whole
 * text, the others to each of its pieces. */
enum levee_text_step_kind {
    LEVEE_STEP_NFC = 1, /* Unicode's normalization forms */
    LEVEE_STEP_NFD = 2,
    LEVEE_STEP_NFKC = 3,
    LEVEE_STEP_NFKD = 4,
    LEVEE_STEP_PREPEND = 5,      /* Puts `text` before a text that is not empty. */
    LEVEE_STEP_REPLACE = 6,      /* Replaces each `text` by `with`. */
    LEVEE_STEP_SPLIT = 7,        /* Splits into the matches of the regular expression `text` and
                                  * the parts between. */
    LEVEE_STEP_PREFIX = 8,       /* Puts `text` before a piece that does not begin with it. */
    LEVEE_STEP_PREFIX_FIRST = 9, /* LEVEE_STEP_PREFIX for only the first piece of a text. */
    /* The following steps apply only to the whole text. */
    LEVEE_STEP_REPLACE_MATCHES = 10, /* Replaces each match of the regular expression `text` by
                                      * `with`. */
    LEVEE_STEP_STRIP_LEFT = 11,      /* Removes white space at the beginning. */
    LEVEE_STEP_STRIP_RIGHT = 12,     /* Removes white space at the end. */
    /* Maps characters by the table `text`, which is SentencePiece's precompiled_charsmap. At
     * each position the longest key applies. As in the library tokenizers, graphemes of fewer
     * than 6 bytes (or else single characters) are mapped by the shortest key with which they
     * begin. */
    LEVEE_STEP_MAP_LONGEST = 13,
    LEVEE_STEP_MAP_GRAPHEMES = 14
};

enum levee_added_flag {
    LEVEE_ADDED_SPECIAL = 1,    /* controls the model and prints nothing */
    LEVEE_ADDED_NORMALIZED = 2, /* The token is searched for after the normalizers; otherwise
                                 * before. */
    LEVEE_ADDED_LEFT = 4,       /* White space on the left of the token is removed. */
    LEVEE_ADDED_RIGHT = 8       /* White space on the right of the token is removed. */
};

enum levee_tensor_kind {
    LEVEE_TENSOR_EMBEDDING = 1,  /* [vocab, dim] */
    LEVEE_TENSOR_POSITION = 2,   /* [max_context, dim], FP32: learned positions */
    LEVEE_TENSOR_ROPE_PHASE = 3, /* [1, head_dim / 2], UINT32: turns per position in 2^-32 */
    /* Norms and biases: [1, dim] or [1, rows], FP32. */
    LEVEE_TENSOR_NORM_ATTENTION = 4,
    LEVEE_TENSOR_NORM_ATTENTION_BIAS = 5,
    LEVEE_TENSOR_WQ = 6, /* [heads * head_dim, dim]; latent: [heads * (nope_dim + rotated), dim or
                          * query_latent]; each head has first the rows that are not rotated, then
                          * the rotated ones */
    LEVEE_TENSOR_WK = 7, /* [kv_heads * head_dim, dim] */
    LEVEE_TENSOR_WV = 8, /* same shape as WK */
    LEVEE_TENSOR_WO = 9, /* [dim, heads * head_dim, or value_dim] */
    LEVEE_TENSOR_BQ = 10,
    LEVEE_TENSOR_BK = 11,
    LEVEE_TENSOR_BV = 12,
    LEVEE_TENSOR_BO = 13,
    LEVEE_TENSOR_NORM_FFN = 14,
    LEVEE_TENSOR_NORM_FFN_BIAS = 15,
    LEVEE_TENSOR_W_GATE = 16, /* [hidden, dim] */
    LEVEE_TENSOR_W_UP = 17,   /* [hidden, dim]; the only matrix of a network without a gate */
    LEVEE_TENSOR_W_DOWN = 18, /* [dim, hidden] */
    LEVEE_TENSOR_B_UP = 19,
    LEVEE_TENSOR_B_DOWN = 20,
    LEVEE_TENSOR_NORM_FINAL = 21,
    LEVEE_TENSOR_NORM_FINAL_BIAS = 22,
    LEVEE_TENSOR_CLASSIFIER = 23, /* [vocab, dim]; absent: the embedding is also the classifier */
    /* RMS norms of queries and keys before they are rotated: one gain for each element of a head,
     * shared by all heads [1, head_dim], or for each element of every head [1, heads * head_dim],
     * [1, kv_heads * head_dim]. */
    LEVEE_TENSOR_NORM_QUERY = 24,
    LEVEE_TENSOR_NORM_KEY = 25,
    /* Norms of the output of attention and of the feed-forward network, before it is added to
     * the residual stream. A layer may have them instead of, or in addition to, norms of the
     * input. */
    LEVEE_TENSOR_NORM_ATTENTION_AFTER = 26,
    LEVEE_TENSOR_NORM_ATTENTION_AFTER_BIAS = 27,
    LEVEE_TENSOR_NORM_FFN_AFTER = 28,
    LEVEE_TENSOR_NORM_FFN_AFTER_BIAS = 29,
    LEVEE_TENSOR_LAYER_FLAGS = 30,      /* [1, layers], UINT32: enum levee_layer_flag; absent: 0 */
    LEVEE_TENSOR_ROPE_PHASE_LOCAL = 31, /* Like ROPE_PHASE, for local layers; absent: same as
                                         * ROPE_PHASE. */
    /* In a mixture of experts, these replace W_GATE, W_UP and W_DOWN. The matrices of all experts
     * are consecutive; in each expert, the rows of W_GATE precede those of W_UP. */
    LEVEE_TENSOR_W_ROUTER = 32,       /* [experts, dim] */
    LEVEE_TENSOR_W_EXPERTS_UP = 33,   /* [experts * 2 * hidden, dim]; without a gate half as many */
    LEVEE_TENSOR_W_EXPERTS_DOWN = 34, /* [experts * dim, hidden] */
    LEVEE_TENSOR_B_ROUTER = 35,       /* [1, experts], FP32, like all following tensors except
                                       * matrices */
    LEVEE_TENSOR_B_EXPERTS_UP = 36,   /* [1, experts * 2 * hidden]; without a gate half as many */
    LEVEE_TENSOR_B_EXPERTS_DOWN = 37, /* [1, experts * dim] */
    /* Logits that take part in the softmax of each head, but have no key or value. */
    LEVEE_TENSOR_ATTENTION_SINKS = 38, /* [1, heads] */
    /* A bias that affects the choice of experts, but not their weights. */
    LEVEE_TENSOR_ROUTER_CHOICE_BIAS = 39, /* [1, experts] */
    /* In models with experts, W_GATE, W_UP and W_DOWN belong to a shared expert, which processes
     * all tokens and is `shared_hidden` wide. Its result is multiplied by the sigmoid of
     * W_SHARED_GATE's product with the token's vector. */
    LEVEE_TENSOR_W_SHARED_GATE = 40, /* [1, dim]; absent: the result is not multiplied */
    /* Latent attention (structure.kv_latent) has these instead of WK and WV, and no biases. */
    LEVEE_TENSOR_W_QUERY_LATENT = 41,    /* [query_latent, dim]; WQ then multiplies its results */
    LEVEE_TENSOR_NORM_QUERY_LATENT = 42, /* [1, query_latent], FP32: RMS, before WQ */
    LEVEE_TENSOR_W_KV_LATENT = 43,       /* [head_dim, dim]: the rows of the rotated elements, then
                                          * those of the latent vector */
    LEVEE_TENSOR_NORM_KV_LATENT = 44,    /* [1, kv_latent], FP32: RMS, of the latent vector only */
    /* Matrices of the heads, one after another. */
    LEVEE_TENSOR_W_KEY_UP = 45,  /* [heads * kv_latent, nope_dim]: the matrix for keys, transposed,
                                  * so that it maps a query into the latent space */
    LEVEE_TENSOR_W_VALUE_UP = 46 /* [heads * value_dim, kv_latent] */
};
#define LEVEE_TENSOR_LAST LEVEE_TENSOR_W_VALUE_UP

enum levee_layer_flag {
    LEVEE_LAYER_UNROTATED = 1, /* positions are not rotated */
    LEVEE_LAYER_LOCAL = 2,     /* attention covers the last `window` tokens, including the token
                                * itself */
    LEVEE_LAYER_DENSE = 4      /* Layer without experts: one feed-forward network, `dense_hidden`
                                * wide. */
};

/* Flag in levee_tensor_entry.type, only in memory: the matrix is stored as [cols][rows]. */
#define LEVEE_TENSOR_COLUMNS_FIRST 0x100u

struct levee_tensor_entry {
    uint32_t kind;  /* enum levee_tensor_kind */
    uint32_t layer; /* layer; LEVEE_NO_LAYER: the tensor belongs to no layer */
    uint32_t type;  /* enum levee_type, plus LEVEE_TENSOR_COLUMNS_FIRST if it applies */
    uint32_t rows, cols;
    uint32_t row_bytes;
    uint64_t data_offset;  /* 0: a component stores the matrix */
    uint64_t scale_offset; /* FP32 per row, or per group of a row; 0 = none */
};

/* Beginning of a component's record of a matrix; a header of the component defines the rest. */
struct levee_kept_head {
    uint32_t kind, layer; /* kind and layer of the matrix's first tensor */
};

/* The following fields exist in VERSION_STRUCTURED. Other versions imply 0 for each. */
struct levee_model_structure {
    uint32_t rotated; /* number of a head's first elements that are rotated, even; 0: all
                       * elements */
    uint32_t window;  /* window of local layers, in tokens; 0: there are no local layers */
    float score_cap;  /* before the softmax, scores s become cap * tanh(s / cap); 0: they do not
                       * change */
    float logit_cap;  /* like score_cap, for logits */
    uint32_t flags;   /* enum levee_structure_flag */
    uint32_t experts; /* number of experts of a layer; 0: the network has no experts */
    uint32_t chosen;  /* number of experts that process each token */
    uint32_t shared_hidden; /* width of the shared expert; 0: there is none */
    uint32_t dense_hidden;  /* width of the layers without experts in a model with experts; 0: every
                               layer has experts */
    float glu_limit, glu_alpha; /* CLAMPED_GLU */
    /* Latent attention: all heads share one key vector per token, with `head_dim` elements. The
     * first `rotated` elements are rotated; the other kv_latent elements are also the value.
     * kv_heads is 1. A head's query has nope_dim elements in addition to the rotated ones, and
     * its result has value_dim elements. */
    uint32_t kv_latent;    /* 0: no latent attention: each head has its own keys and values */
    uint32_t query_latent; /* Elements of the vector from which queries are computed; 0: queries
                            * come from the token's vector. */
    uint32_t nope_dim, value_dim;
};

/* Tokens that end a text in addition to the tokenizer's eos, and end a sequence in addition to
 * the workload's stop_token. */
#define LEVEE_MAX_STOPS 7u
struct levee_stops {
    uint32_t count;
    uint32_t tokens[LEVEE_MAX_STOPS];
};

#define LEVEE_CHAT_OTHER 0xFFFFFFFFu /* header.chat: the template is not in the table */

enum levee_structure_flag {
    LEVEE_STRUCTURE_PARALLEL = 1, /* the feed-forward network reads the same vector as
                                   * attention: there is no NORM_FFN and no sum between them */
    /* With this flag, weights of experts are a softmax over the chosen experts; without it, over
     * all experts. With LEVEE_STRUCTURE_SIGMOID, the flag divides each weight by the sum of the
     * chosen experts' weights. */
    LEVEE_STRUCTURE_AMONG_CHOSEN = 2,
    LEVEE_STRUCTURE_SIGMOID = 4 /* experts' scores are sigmoids of the router's results */
};

struct levee_model_header {
    uint32_t magic;
    uint32_t version;      /* LEVEE_MODEL_VERSION */
    uint32_t header_bytes; /* sizeof(struct levee_model_header) */
    uint32_t crc32;        /* crc32 of zlib, over the whole image with 0 in this field */
    uint64_t image_bytes;
    uint32_t dim, hidden, layers, heads, kv_heads, head_dim, vocab, max_context;
    uint32_t norm;       /* enum levee_norm */
    uint32_t activation; /* enum levee_activation */
    uint32_t position;   /* enum levee_position */
    float norm_epsilon;
    uint32_t weight_type; /* enum levee_type of the matrices */
    uint32_t tensor_count;
    uint64_t tensor_offset;
    uint64_t tokenizer_offset; /* struct levee_tokenizer_header */
    uint64_t tokenizer_bytes;
    char name[32];
    uint32_t format;     /* LEVEE_MODEL_FORMAT; 0 in images whose crc32 does not cover the header */
    uint32_t kept_bytes; /* VERSION_KEPT: bytes of a record */
    uint64_t kept_offset;
    uint32_t kept_count;   /* number of records, which are in the order of the tensors */
    uint32_t weight_group; /* VERSION_GROUPED: columns that share a scale, LEVEE_MODEL_MIN_GROUP to
                              LEVEE_MODEL_MAX_GROUP, a power of 2; else 0 */
    struct levee_model_structure structure;
    struct levee_stops stops;
    uint32_t chat; /* Number of the model's chat template, found at import by a
                    * comparison with platform/input/config/chat_templates.hpp; 0:
                    * unknown; or LEVEE_CHAT_OTHER. */
};

/* struct levee_token_entry[vocab] follows, then the tokens' bytes, then the rules, if any. */
struct levee_tokenizer_header {
    uint32_t kind; /* enum levee_tokenizer_kind */
    uint32_t vocab;
    uint32_t bos, eos; /* LEVEE_NO_TOKEN = none */
    uint32_t max_token_bytes;
    uint32_t text_bytes; /* Total bytes of all tokens. */
};

struct levee_token_entry {
    float score;
    uint32_t offset; /* offset of the token's bytes from the end of the entries */
    uint32_t bytes;  /* bytes that firmware prints; a llama2.c token "<0x0A>" is already stored as
                      * one byte */
};

/* Rules of a tokenizer of kind LEVEE_TOKENIZER_RULES. They follow the bytes of the tokens, at the
 * next multiple of 8 from the section's start. This struct is followed by struct
 * levee_token_merge[merge_count], in order of rank; uint32_t[byte_count], the tokens for single
 * bytes, used for characters without a token (256 entries or none); struct
 * levee_added_token[added_count]; struct levee_text_step[step_count]; and the texts of added tokens
 * and steps. */
struct levee_tokenizer_rules {
    uint32_t flags;   /* enum levee_tokenizer_flag */
    uint32_t unknown; /* token for unknown text; LEVEE_NO_TOKEN: unknown text is an error */
    uint32_t merge_count, byte_count, added_count, step_count;
    uint32_t normalizer_count;
    uint32_t text_bytes;
};

struct levee_token_merge {
    uint32_t left, right, result;
};

/* A token that is found in a text before anything else. */
struct levee_added_token {
    uint32_t id, flags;     /* enum levee_added_flag */
    uint32_t offset, bytes; /* offset (from the start of the texts) and length of the text to search
                             * for; the printed text may differ */
};

struct levee_text_step {
    uint32_t kind; /* enum levee_text_step_kind */
    uint32_t text_offset, text_bytes, with_offset, with_bytes;
};

#ifdef __cplusplus
static_assert(sizeof(levee_tokenizer_rules) == 32, "image layout");
static_assert(sizeof(levee_model_header) == 256, "image layout");
static_assert(sizeof(levee_tensor_entry) == 40, "image layout");
#else
_Static_assert(sizeof(struct levee_model_header) == 256, "image layout");
_Static_assert(sizeof(struct levee_tensor_entry) == 40, "image layout");
#endif
