#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the stories from which the embedded model learns. A seed determines all of them.

A story names five friends and tells small scenes. Now and then it states who holds which object:

    The cup was with Ann.  ...  Now the cup was with Tom.  ...  Who has the cup? The cup was with Tom.

Four objects are handed out over the whole text. A quarter of them later move to another friend, so the last
statement is the valid one. Holders are drawn independently of each other, so the only way to answer is to
remember. A guess among the five friends is right one time in five.

With --asked, the story itself asks and answers each question once, somewhere after the statement. All objects
are then handed out in the first half. Each statement is thus read once before the question that is measured.

Every word and punctuation mark is one token. The vocabulary has exactly 256 tokens.
"""
import argparse
import random
import struct

UNKNOWN, BOS, EOS = 0, 1, 2
PUNCTUATION = [".", ",", "?"]
GIRLS = "Ann Sue Kim Eve May Joy Amy Lucy Rose Nora Ella Mia Zoe Lily Ida Ruth Jane Kate".split()
BOYS = "Tom Ben Sam Max Leo Tim Jack Finn Paul Otto Carl Hugo Noah Emil Adam Luke Fred Hans".split()
OBJECTS = ("cup book ball hat key lamp ring drum coin kite bell rope doll shell map comb spoon "
           "basket box flute brush stone whistle ribbon plate jar "
           "letter candle mirror needle button pencil flag").split()
ANIMALS = "duck fox cat dog bird frog horse cow hen goat mouse rabbit bear sheep pig wolf swan deer".split()
LOOKS = "small big brown white black grey young old fat".split()
MOODS = "happy sad hungry sleepy funny friendly shy tired brave quiet clever".split()
FOODS = "bread milk cake soup corn honey cheese fruit pie rice jam butter".split()
PLACES = "river wood hill garden market lake barn park sea bridge school farm mill tower".split()
HOMES = "village town valley".split()
TIMES = "morning day afternoon".split()
FILLERS = (
    "Once upon a time lived in and the little pretty One The next sun was warm sky blue wind strong cold It "
    "snow fell rain walked ran went to There they saw They looked at it gave some ate all "
    "said thank you jumped slept sang song laughed He She played game under tree long climbed "
    "up high sat down grass by fire evening In drank tea told story moon bright stars "
    "everyone Everyone home smiled danced too picked flowers for red yellow swam water "
    "clear found soft made bed good Then Soon Now Who has with had fun were best friends "
    "hid behind door could not see very cooked together").split()


def build_vocabulary():
    words = ["<unk>", "\n<s>\n", "\n</s>\n"] + PUNCTUATION
    for group in (GIRLS, BOYS, OBJECTS, ANIMALS, LOOKS, MOODS, FOODS, PLACES, HOMES, TIMES, FILLERS):
        for word in group:
            if word not in words:
                words.append(word)
    return words


VOCABULARY = build_vocabulary()
ID = {word: number for number, word in enumerate(VOCABULARY)}


def split_words(text):
    """Splits a text into words. A punctuation mark at a word's end is a separate word."""
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            words += [word[:-1], word[-1]]
        else:
            words.append(word)
    return words


def encode(text):
    return [ID[word] for word in split_words(text)]


def introduction(rng, cast):
    a, b, c, d, e = cast
    home = rng.choice(["a little {}", "a pretty {}", "a quiet {} by the sea", "the old {}"])
    return [f"Once upon a time {a}, {b}, {c}, {d} and {e} lived in {home.format(rng.choice(HOMES))}."]


def pronoun(name):
    return "She" if name in GIRLS else "He"


class Bag:
    """Draws without repetition until every item has been drawn once."""

    def __init__(self, rng, items):
        self.rng, self.items, self.left = rng, list(items), []

    def draw(self):
        if not self.left:
            self.left = self.rng.sample(self.items, len(self.items))
        return self.left.pop()


class Teller:
    """Tells the scenes of one story. The friends take turns in the order in which they were named."""

    def __init__(self, rng, cast):
        self.rng, self.cast, self.turn = rng, cast, 0
        self.weather = Bag(rng, ["the sun was warm", "the sky was blue", "the wind was strong",
                                 "the rain was cold", "the snow fell", "the sky was grey"])
        self.looks = Bag(rng, [look for look in LOOKS if look != "old"])  # "old" begins with a vowel: "a old fox"
        self.animals, self.places = Bag(rng, ANIMALS), Bag(rng, PLACES)
        self.games, self.waters = Bag(rng, range(4)), Bag(rng, ["river", "lake", "sea"])
        self.dishes, self.evenings = Bag(rng, ["soup", "cake", "bread"]), Bag(rng, range(4))
        self.kinds = [self.animal, self.cooking, self.water, self.game]
        self.kind = rng.randrange(4)

    def next_friend(self):
        self.turn += 1
        return self.cast[(self.turn - 1) % len(self.cast)]

    def day(self, first):
        """Tells the scenes of a day: its beginning, actions of two or three friends, and sometimes its evening."""
        when = f"{'One' if first else 'The next'} {self.rng.choice(TIMES)}"
        scenes = [[f"{when} {self.weather.draw()}."]]
        for _ in range(2):
            scenes.append(self.kinds[self.kind % 4]())
            self.kind += 1
        if self.rng.random() < 0.5:
            scenes.append(self.evening())
        return scenes

    def animal(self):
        rng, a, b = self.rng, self.next_friend(), self.next_friend()
        animal, mood = self.animals.draw(), rng.choice(MOODS)
        scene = [f"{a} and {b} {rng.choice(['walked', 'ran', 'went'])} to the {self.places.draw()}.",
                 f"There they saw a {self.looks.draw()} {animal}.", f"The {animal} was very {mood}."]
        if mood == "hungry":
            scene += [f"{a} gave the {animal} some {rng.choice(FOODS)}.",
                      f"The {animal} ate it all and said thank you."]
        elif mood in ("sleepy", "tired"):
            scene += [f"{b} made it a soft bed.", f"The {animal} slept in the grass."]
        elif mood == "sad":
            scene += [f"{b} sang it a song.", f"Soon the {animal} was happy."]
        elif mood == "shy":
            scene += ["It hid behind the tree."]
        else:
            scene += [f"The {animal} {rng.choice(['jumped', 'danced', 'sang'])} and {a} laughed."]
        return scene

    def game(self):
        rng, a, b = self.rng, self.next_friend(), self.next_friend()
        scene = [f"{a} and {b} played a game in the {rng.choice(['garden', 'park', 'wood', 'barn'])}."]
        kind = self.games.draw()
        if kind == 0:
            scene += [f"{a} hid behind the door and {b} could not see {a}.", f"Then {b} found {a}.",
                      "They laughed."]
        elif kind == 1:
            scene += [f"{a} climbed up a high tree.", f"{b} sat down under the tree."]
        elif kind == 2:
            scene += [f"{a} picked {rng.choice(['red', 'yellow', 'blue', 'white'])} flowers for {b}.",
                      f"{b} smiled and said thank you."]
        else:
            scene += [f"{a} danced and {b} danced too.", "They had fun."]
        return scene

    def water(self):
        rng, a = self.rng, self.next_friend()
        return [f"{a} went to the {self.waters.draw()}.",
                f"The water was {rng.choice(['clear', 'cold', 'warm', 'blue'])}.",
                f"{a} {rng.choice(['swam', 'sat by the water'])} for a long time.",
                f"{pronoun(a)} was {rng.choice(['happy', 'tired', 'very happy', 'very tired'])}."]

    def cooking(self):
        rng, a, b, food = self.rng, self.next_friend(), self.next_friend(), self.dishes.draw()
        return [f"{a} and {b} cooked {food} together.",
                f"The {food} was {rng.choice(['very good', 'warm and good'])}.",
                f"{rng.choice(['Everyone', a, b])} ate some {food}."]

    def evening(self):
        rng, a, kind = self.rng, self.next_friend(), self.evenings.draw()
        scene = [f"In the evening they sat by the fire and drank {rng.choice(['tea', 'milk'])}."]
        scene.append([f"{a} told a story and everyone laughed.", f"{a} sang a song.",
                      f"The moon was bright and {a} danced.", f"{a} looked at the stars."][kind])
        scene.append(rng.choice(["Then everyone went home.", f"Soon {a} slept.",
                                 "They were best friends."]))
        return scene


def tell_scenes(rng, cast, budget):
    """Returns scenes (lists of sentences) of at most `budget` tokens. The last scene may be cut between sentences."""
    teller, scenes, used = Teller(rng, cast), [], 0
    while True:
        for scene in teller.day(first=not scenes):
            told = []
            for sentence in scene:
                used += len(split_words(sentence))
                if used > budget:
                    return scenes + [told]
                told.append(sentence)
            scenes.append(told)


class Story:
    """text: the story; cast: the five friends; questions: [(question, answer name)]."""

    def __init__(self, text, cast, questions):
        self.text, self.cast, self.questions = text, cast, questions

    def tokens(self):
        """Returns (ids, answer mask) of BOS, the story, the questions with their answers, and EOS."""
        ids = [BOS] + encode(self.text)
        mask = [0] * len(ids)
        for question, answer in self.questions:
            asked = encode(question)
            ids += asked + [ID[answer], ID["."]]
            mask += [0] * len(asked) + [1, 0]
        return ids + [EOS], mask + [0]


def spread(rng, scenes, statements, share=1.0):
    """Places each statement between scenes. A statement is a list: the fact, and later sentences about it, in
    order. The facts are spread over the first `share` of the text, and the later sentences anywhere after them."""
    slots, count = {}, len(scenes)
    reach = int(count * share)
    for index, group in enumerate(statements):
        low = index * reach // len(statements)
        high = max(low, (index + 1) * reach // len(statements) - 1)
        place = rng.randint(low, high)
        slots.setdefault(place, []).append((index, 0, group[0]))
        places = sorted(rng.randint(min(count, place + 1), count) for _ in group[1:])
        for number, later in enumerate(places, 1):
            slots.setdefault(later, []).append((index, number, group[number]))
    text = []
    for place in range(count + 1):
        text += [said for _, _, said in sorted(slots.get(place, []))]
        text += scenes[place] if place < count else []
    return text


def question_of(thing):
    return f"Who has the {thing}? The {thing} was with"


def make_story(rng, length, facts=4, questions=4, asked_before=False):
    """Makes a story of at most `length` tokens, including BOS, questions with answers, and EOS."""
    # Names are in alphabetical order; otherwise the model is unsure about them and repeats one.
    cast = sorted(rng.sample(GIRLS + BOYS, 5))
    things = rng.sample(OBJECTS, facts)
    holder, statements = {}, []
    for thing in things:
        holder[thing] = rng.choice(cast)
        group = [f"The {thing} was with {holder[thing]}."]
        if rng.random() < 0.25:
            holder[thing] = rng.choice([name for name in cast if name != holder[thing]])
            group.append(f"Now the {thing} was with {holder[thing]}.")
        if asked_before:
            group.append(f"{question_of(thing)} {holder[thing]}.")
        statements.append(group)
    asked = rng.sample(things, questions)
    spoken = sum(len(split_words(said)) for group in statements for said in group)
    begin = introduction(rng, cast) if length >= 96 else []
    budget = length - 2 - 11 * questions - spoken - sum(len(split_words(s)) for s in begin)
    share = 0.5 if asked_before else 1.0
    text = begin + spread(rng, tell_scenes(rng, cast, budget), statements, share)
    return Story(" ".join(text), cast, [(question_of(thing), holder[thing]) for thing in asked])


def write_tokenizer(path):
    """Writes llama2.c's tokenizer.bin. Words carry their leading space, and punctuation has none."""
    texts = [word if number <= EOS or word in PUNCTUATION else " " + word
             for number, word in enumerate(VOCABULARY)]
    with open(path, "wb") as file:
        file.write(struct.pack("<i", max(len(text) for text in texts)))
        for text in texts:
            file.write(struct.pack("<fi", 0.0, len(text)) + text.encode())


def held_out(seed, count, length, asked_before=False):
    """Makes stories from a seed that training never uses (train.py's seeds are below 2^32)."""
    rng = random.Random((1 << 32) + seed)
    return [make_story(rng, length, asked_before=asked_before) for _ in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--length", type=int, default=256, help="tokens of a story, including questions and answers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--asked", action="store_true",
                        help="stories also ask and answer each question once")
    parser.add_argument("--text", action="store_true",
                        help="print stories, questions and answers as plain text, separated by a mark")
    parser.add_argument("--tokenizer", help="write the tokenizer here, in llama2.c's format")
    options = parser.parse_args()
    if options.tokenizer:
        write_tokenizer(options.tokenizer)
        return
    stories = held_out(options.seed, options.count, options.length, options.asked)
    if options.text:
        texts = []
        for story in stories:
            asked = [f"{question} {answer}." for question, answer in story.questions]
            texts.append(" ".join([story.text] + asked))
        print("\n<|endoftext|>\n".join(texts))
        return
    print("# story <TAB> the friends (a guess is one of them) <TAB> question <TAB> answer ...")
    for story in stories:
        pairs = [part for pair in story.questions for part in pair]
        print("\t".join([story.text, " ".join(story.cast)] + pairs))


if __name__ == "__main__":
    main()
