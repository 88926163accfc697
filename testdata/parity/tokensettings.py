"""Records how transformers follows the settings of small tokenizers, for package pretrained/folder to compare with.

    python3 -m venv /tmp/hf
    /tmp/hf/bin/pip install transformers==4.57.6
    /tmp/hf/bin/python testdata/parity/tokensettings.py [SEED]

It writes pretrained/folder/testdata/settings.json: for each case the files of a folder, the ids of [CLS], [SEP], [MASK] and the unknown
piece, and the ids of TEXTS. With a seed, the cases are 300 random ones, and standard output gets the record.
"""

import itertools
import json
import os
import random
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import transformers as hf

TEXTS = [
    "the soup was warm", "we saw <loc> and [E1] lamp", "The LAMPSHADE Lampshade lampshade lampshades", "x[E1]y [e1] <LOC>", "café Café CAFÉ naïve",
    "中文 a中b", "[MASK] [PAD] [mask] <mask> <s> </s> [CLS] <unk>", "x [MASK] y <mask>", "bread soup zzz \u2028 qqq", "", "  ", "İ ß lampen ßx",
]
WORDS = "the a was and we saw soup lamp lampshade bread warm café cafe naïve naive 中 文 中文 < > [ ] loc e1 E1 The Lampshade mask".split()
LETTERS = "abcdefghijklmnopqrstuvwxyzçéïLE10"
PIECES = [w for w in WORDS] + [c for c in LETTERS if c not in WORDS] + ["##" + c for c in LETTERS] + ["##s", "##shade", "##文"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
OTHER = {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>", "mask_token": "<mask>"}
VOCAB = SPECIAL + list(dict.fromkeys(PIECES))
OTHER_VOCAB = list(OTHER.values()) + VOCAB[5:]


def token(content, **options):
    return {"content": content, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True} | options


def decoder(*tokens):
    return {"added_tokens_decoder": {str(id): t for id, t in tokens}}


def vocabulary(pieces, end="\n"):
    return end.join(pieces) + end


def tokenizer(vocab, added=(), cls="[CLS]", sep="[SEP]", unk="[UNK]", older=False, **normalizer):
    """A tokenizer.json."""
    ids = vocab if isinstance(vocab, dict) else {piece: id for id, piece in enumerate(vocab)}
    post = {"type": "BertProcessing", "sep": [sep, ids[sep]], "cls": [cls, ids[cls]]} if older else {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": cls, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": sep, "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {t: {"id": t, "ids": [ids[t]], "tokens": [t]} for t in (cls, sep)}}
    normal = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True} | normalizer
    return json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [{"id": id} | t for id, t in added], "normalizer": normal,
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": post, "decoder": None,
        "model": {"type": "WordPiece", "unk_token": unk, "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids},
    }, ensure_ascii=False)


def folder(vocab=None, config=None, special=None, added=None, tokenizer=None):
    files = {"vocab.txt": vocab if isinstance(vocab, str) or vocab is None else vocabulary(vocab), "tokenizer.json": tokenizer}
    for name, value in (("tokenizer_config.json", config), ("special_tokens_map.json", special), ("added_tokens.json", added)):
        files[name] = None if value is None else json.dumps(value, ensure_ascii=False)
    return {name: text for name, text in files.items() if text is not None}


N = len(VOCAB)
LOWER = {"do_lower_case": True}
USUAL = [(id, token(t)) for id, t in enumerate(SPECIAL)]
HOLE = {piece: id + (id > 20) for id, piece in enumerate(VOCAB)}


def cases():
    yield "plain", folder(VOCAB)
    yield "added_tokens.json", folder(VOCAB, LOWER, added={"<loc>": N, "lampshades": N + 1, "Café": N + 2})
    yield "added_tokens.json, cased", folder(VOCAB, {"do_lower_case": False}, added={"[E1]": N, "LAMPSHADE": N + 1})
    yield "added_tokens.json, special", folder(VOCAB, LOWER, {"additional_special_tokens": ["[E1]"]}, {"[E1]": N, "<loc>": N + 1})
    yield "added_tokens.json, a piece", folder(VOCAB, LOWER, added={"lampshade": VOCAB.index("lampshade"), "[E1]": N})
    yield "special_tokens_map.json", folder(VOCAB, LOWER, {"additional_special_tokens": ["[E1]", "<loc>", "soup"]})
    yield "special_tokens_map.json, objects", folder(VOCAB, LOWER, {
        "additional_special_tokens": [token("[E1]"), {"content": "<LOC>", "normalized": True}], "mask_token": token("[MASK]", lstrip=True, normalized=True)})
    yield "additional in both", folder(VOCAB, {"additional_special_tokens": ["[E1]"]}, {"additional_special_tokens": ["<loc>", "[E1]"]})
    yield "begin and end", folder(VOCAB, {"bos_token": "[E1]", "eos_token": "<loc>"})
    yield "nulls", folder(VOCAB, {"bos_token": None, "additional_special_tokens": None, "strip_accents": None, "added_tokens_decoder": {}},
                          {"eos_token": "<loc>"}, {"[E1]": N})
    yield "decoder", folder(VOCAB, LOWER | decoder(*USUAL, (N, token("[E1]")), (N + 1, token("Lampshade", normalized=True, special=False))))
    yield "decoder and older files", folder(VOCAB, decoder((N, token("[E1]"))), {"eos_token": "soup"}, {"lamp": N + 1})
    yield "normalised accents", folder(VOCAB, decoder((N, token("CAFÉ", normalized=True, special=False)), (N + 1, token("中文", normalized=True))))
    yield "normalised alike", folder(VOCAB, added={"café": VOCAB.index("café"), "CAFÉ": N})
    yield "normalised special tokens", folder(VOCAB, decoder(*[(i, t | {"normalized": True}) for i, t in USUAL]))
    yield "old objects", folder(VOCAB, {"mask_token": token("[MASK]", lstrip=True, normalized=True) | {"__type": "AddedToken"}})
    yield "other names", folder(OTHER_VOCAB, OTHER)
    yield "other names in the map", folder(OTHER_VOCAB, LOWER, OTHER)
    yield "other names of objects", folder(OTHER_VOCAB, LOWER, {k: token(v) for k, v in OTHER.items()})
    yield "no mask", folder([p for p in VOCAB if p != "[MASK]"])
    yield "neither mask nor padding", folder([p for p in VOCAB if p not in ("[MASK]", "[PAD]")], added={"<loc>": N - 2})
    for lower, accents, chinese in itertools.product((True, False), (True, False, None), (True, False)):
        yield f"normaliser {lower} {accents} {chinese}", folder(
            VOCAB, {"do_lower_case": lower, "strip_accents": accents, "tokenize_chinese_chars": chinese}, added={"Café": N, "a中": N + 1})
    yield "accents alone", folder(VOCAB, {"strip_accents": False})
    yield "repeats", folder(VOCAB[:20] + ["soup", "lamp"] + VOCAB[20:] + ["soup"])
    yield "repeats and a new token", folder(VOCAB[:20] + ["soup"] + VOCAB[20:], {"additional_special_tokens": ["<loc>"]})
    yield "empty lines", folder(VOCAB[:20] + ["", ""] + VOCAB[20:] + [""])
    yield "Windows", folder(vocabulary(VOCAB, "\r\n"))
    yield "old Mac", folder(vocabulary(VOCAB, "\r"))
    yield "a return within", folder("\n".join(VOCAB[:20]) + "\r\r\n" + vocabulary(VOCAB[20:]))
    yield "a separator", folder(VOCAB[:20] + ["\u2028", "\x85", " ", "soup "] + VOCAB[20:])
    yield "no last line end", folder(vocabulary(VOCAB)[:-1])
    yield "tokenizer.json", folder(config=LOWER, tokenizer=tokenizer(VOCAB, USUAL))
    yield "tokenizer.json, new tokens", folder(tokenizer=tokenizer(VOCAB, USUAL + [(N, token("<loc>")), (N + 1, token("Lampshade", normalized=True, special=False))]))
    yield "tokenizer.json and the older files", folder(VOCAB, LOWER, {"eos_token": "soup"}, {"[E1]": N}, tokenizer(VOCAB, USUAL))
    yield "tokenizer.json and a decoder", folder(config=decoder((N, token("[E1]")), (N + 1, token("<loc>"))), tokenizer=tokenizer(VOCAB, USUAL + [(N, token("[E1]"))]))
    yield "tokenizer.json, other names", folder(config=OTHER, tokenizer=tokenizer(OTHER_VOCAB, cls="<s>", sep="</s>", unk="<unk>"))
    yield "tokenizer.json, older, other names", folder(special=OTHER, tokenizer=tokenizer(OTHER_VOCAB, cls="<s>", sep="</s>", unk="<unk>", older=True))
    yield "tokenizer.json, overruled", folder(config={"do_lower_case": False, "tokenize_chinese_chars": False}, tokenizer=tokenizer(VOCAB, USUAL))
    yield "a hole", folder(tokenizer=tokenizer(HOLE, USUAL))
    yield "a hole and a new token", folder(tokenizer=tokenizer(HOLE, USUAL + [(N, token("<loc>"))]))
    yield "one id twice", folder(tokenizer=tokenizer(dict(HOLE, soup=7), USUAL))


def random_cases(seed):
    rng = random.Random(seed)
    names = ["[E1]", "<loc>", "Lampshade", "lampshade", "CAFÉ", "café", "soup", "x", "中", "a中b", "zzz", "<mask>", "[e1]", "ß", "lamp"]
    option = lambda: rng.random() < .4
    for i in range(300):
        vocab = list(VOCAB)
        for _ in range(rng.randrange(3) * option()):
            vocab.insert(rng.randrange(5, len(vocab)), rng.choice(["", "soup", "lamp", "##s", "[E1]", "<loc>", "x\u2028"]))
        config, special, added, next = {}, {}, {}, len(set(vocab))
        some = lambda: rng.sample(names, rng.randrange(1, 4))
        for key in ("do_lower_case", "strip_accents", "tokenize_chinese_chars"):
            if option():
                config[key] = option()
        for place in (config, special):
            if option():
                place["additional_special_tokens"] = some()
        # transformers 4.57.6 takes the last additional token for another one if it is bos_token too
        config["bos_token"] = rng.choice([n for n in names if n not in special.get("additional_special_tokens", [])])
        if option():
            for name in some():
                known = {piece: id for id, piece in enumerate(vocab)}.get(name)
                added[name] = next if known is None else known
                next += known is None
        elif option():
            tokens = []
            for name in some():
                known = {piece: id for id, piece in enumerate(vocab)}.get(name)
                special_one = option()
                tokens.append((next if known is None else known, token(name, special=special_one, normalized=option(), lstrip=option(), rstrip=option())))
                next += known is None
            config |= decoder(*tokens)
        if option() and len(set(vocab)) == len(vocab) and "" not in vocab:
            normal = {"lowercase": config.get("do_lower_case", True), "strip_accents": config.get("strip_accents"),
                      "handle_chinese_chars": config.get("tokenize_chinese_chars", True)}
            yield f"random {i}", folder(None, config, special, added or None, tokenizer(vocab, USUAL, **normal))
        else:
            yield f"random {i}", folder(vocab, config, special, added or None)


def main():
    record = {"texts": TEXTS, "cases": []}
    for name, files in random_cases(int(sys.argv[1])) if len(sys.argv) > 1 else cases():
        with tempfile.TemporaryDirectory() as tmp:
            for file, text in (files | {"config.json": '{"model_type": "bert"}'}).items():
                with open(os.path.join(tmp, file), "w", encoding="utf-8", newline="") as f:
                    f.write(text)
            t = hf.AutoTokenizer.from_pretrained(tmp)
            record["cases"].append({"name": name, "files": files, "special": [t.cls_token_id, t.sep_token_id, t.mask_token_id, t.unk_token_id],
                                    "ids": t(TEXTS)["input_ids"]})
    if len(sys.argv) > 1:
        json.dump(record, sys.stdout, ensure_ascii=True)
        return
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "pretrained", "folder", "testdata", "settings.json"), "w", encoding="utf-8") as f:
        json.dump(record, f, ensure_ascii=True, separators=(",", ":"))
        f.write("\n")


main()
