"""Records NLTK's METEOR, Porter stems and WordNet synonyms, for package metrics/meteor to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install nltk==3.10.4
    apt-get install wordnet-base
    /tmp/parity/bin/python testdata/parity/meteor.py [folder of WordNet, else that of Debian]

It writes meteor.json beside itself, and the small invented WordNet that most tests use to metrics/meteor/testdata/wordnet. NLTK's own reader
reads both; it wants a file of lexicographers' names, which Debian leaves out and which no figure here depends on, so it gets one. Recorded are:

    stems     word -> stem, of the words in the grammar of the demo corpus and of words chosen to hit every rule
    wordnets  for the invented and the real one: its version; synonyms: word -> [how many, SHA-256 of them sorted and one a line,
              the first 12 digits]; and pairs: [output, reference 1, ..., reference k, METEOR]

The sentences are drawn at random from lists of words.
"""

import hashlib
import json
import os
import random
import re
import sys

from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import meteor_score
from wordnet import reader

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIXTURE = os.path.join(ROOT, "metrics", "meteor", "testdata", "wordnet")

# Groups of forms and synonyms: a rewrite exchanges a word for another of its group, so that every stage of matching has work.
GROUPS = """
buy buys buying bought purchase purchased acquire | big large bigger great | happy happily happiness glad | car cars auto automobile
run runs running ran | begin begins start started commence | die dies died dying | dog dogs hound | quick quickly fast rapid | child children kid kids
woman women | good better well best goodness | eat eats ate eating | help helped assist aid | house houses home | autumn fall | pretty beautiful
funny amusing | film films movie movies | room rooms | meal meals food foods | nice nicely pleasant | terrible terribly awful | go goes went going
be is was were are been | have has had having | the a an this | of to in on at by for with from | . , ! ? ... '' ( ) | couch sofa | answer answers reply
replied | error mistake | broad wide | shut close closed near | freedom liberty | gift present | leaf leaves | knife knives | mouse mice
city cities town | baby babies infant | dress dresses | box boxes | sky skies | news | Paris paris | Big DOG Movie | café naïve 汤 | 5 10 2nd
don't o'clock ice-cream u.s. n't 's | not never no | say says said tell told | man men | goose geese | foot feet | wolf wolves | quiz quizzes
hurry hurried hurries rush | enjoy enjoyed enjoyment like liked | generously generous generosity | possibly possible possibility
"""
GROUPS = [group.split() for line in GROUPS.strip().splitlines() for group in line.split("|") if group.strip()]
UNKNOWN = "fnar gleb hux".split()

# Words for every rule of the stemmer, each with neighbours on which it must not act; the last lines are no words.
STEMMED = """
caresses ponies ties dies lies flies cries caress cats gas this bus feed agreed freed greed plastered bled motoring sing king spied died tied cried tried
conflated troubled sized hopping tanned falling hissing fizzed failing filing aging eyed owed added egged inning innings outing cannings canning
howe proceed exceed succeed proceeds succeeded dying lying tying sky skies news happy enjoy by fly try spy say toy syzygy yes yyy yy
relational conditional rational national valency valenci hesitancy hesitanci digitizer conformably conformabli radically radicalli totally differently
vilely vileli analogously digitization vietnamization predication operator feudalism decisiveness hopefulness callousness formality formaliti
sensitivity sensitiviti sensibility sensibiliti hopefully fulli carefully geology geologi theology biology logi analogi apology psychology ideology
triplicate formative formalize electricity electriciti electrical hopeful goodness useful fulness niceness icate ative
revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption decision homologous
communism activate angularity angulariti effective bowdlerize opinion onion religion version homologou probate rate cease controlling roll
rolling controller full fully fulfil all ally alley tell telling excel excellent parallel model level ill
ability able ably table tables abilities abling absolutely accompanied actually advertisement agreement ally amazing animals argument argued arguing
arrival assembly available awfully babies baking based basically beautifully beginning believes biggest boring bowling busy buying cafe calling
careful carelessly carried celebrities chances changing charges cheaply cities classes cleaning clearly comfortable coming companies competition
completely consistently conversation cooking cookies countries creation creativity crispiness crying customers dangerous daily dancing days deeply definitely
delicious delivery difference dining directly disappointed disappointing discovered dishes drinking driving dryer during early eating eggs employees ending
enjoyable entertaining entirely especially evening everything exactly excitement expensive experiences extremely families favorite feeling finally
finishes fishing fixed flavorful flavors flies focuses following fortunately friendliness friendly frying generalization generally generously
getting gladly going happened happening happiest happily having heated helpfulness historical hoping horribly hotels hurried identities
immediately impression improvement including incredibly infuriating instructions interesting kindness knives knowledgeable ladies largely
lately leaves legally likely listening living locations lovely luckily management managers meaningless meeting mentally mixes mixing momentarily
mostly moving naturally necessarily necessity nervously nicely nonsense normally noticeably numerous obviously occasionally offered offering ones opening
operations opportunity options ordered organization originally outstanding overly owners oxen paid painting particularly parties payment peaceful
personally pizzas playfulness playing politely possibilities practically practicing preferred preparation pricing probably professionalism puzzling
qualities quickly quietly quizzed quizzes rationalize readily really reasonably recommendation refused regularly relaxing remodeled responsible
restaurants rudeness running sadly satisfaction saying scheduling seating selection seriously services serving shopping sincerely singing sitting sizes
skiing skied slowly smelled smoky soggy solution spacious specialties spices staffed stopped storing strongly studying stuffing suddenly suggestions
supposedly surprisingly tasting tasty technically temperatures tension terribly thinking tiring tied toasted traveled traveling tries truly typically
unbelievably unfortunately unhappiness unique universities usually utterly vaguely valuable varies variety vegetables visiting waited waitresses walking
wanted watered weddings weekly weighing willingness wishes wonderful working worries worse writing wrongly years yelling yummy zoning
a i s 's is as ies ied eed ing ed ly ed. ing. -ing o'ing $ed 2ed xx xxed aaed ab abed abing eying oxed oxing édited éé ééed caféd cafés naïveté ïes aéb aébed 汤ies 汤ed 汤汤ed
b c bb bbb oooo yyyed ayed ayying yied bied aied ... !!! 10s 1990s mr. o'clock ice-cream u.s. self-service
""".split()


def fixture():
    """Writes a WordNet of invented words in Princeton's formats: the columns of a data line are described in wndb(5WN)."""
    synsets = {
        "noun": ["brel quon", "quon smeth Vask trivulmo", "wend", "brel triv_ulmo wend", "yorlch", "vaskman yorlch", "quizz"],
        "verb": ["triv ulm", "ulm wend fnarr", "gleb", "smeth quon"],
        "adj": ["hux(p) dask(a) lorn", "lorn(ip) pell", "dask gleb", "drable hux"],
        "adv": ["pelli sorn", "sorn wend"],
    }
    exceptions = {"noun": "brelim brel quon\nvaskme vaskman", "verb": "trov triv", "adj": "dosk dask\ngleb pell", "adv": "pel pelli"}
    os.makedirs(FIXTURE, exist_ok=True)
    for part, lines in synsets.items():
        tag = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}[part]
        head = "  1 An invented WordNet 0.1 Copyright of this project, for tests.  \n"
        data, index = head, {}
        for n, line in enumerate(lines):
            words = line.split()
            satellite = part == "adj" and n % 2 == 1  # of the first adjective
            columns = [f"{len(data):08d}", "00", "s" if satellite else tag, f"{len(words):02x}"]
            for word in words:
                columns += [word, "0"]
                index.setdefault(re.sub(r"\(.*", "", word).lower(), []).append(len(data))
            columns += ["001", "&", f"{len(head):08d}", "a", "0000"] if satellite else ["000"]
            columns += ["01", "+", "02", "00"] if part == "verb" else []
            data += " ".join(columns) + " | invented  \n"
        write(os.path.join(FIXTURE, "data." + part), data)
        text = head
        for word, places in sorted(index.items()):
            text += f"{word} {tag} {len(places)} 1 @ {len(places)} 0 " + " ".join(f"{at:08d}" for at in places) + "  \n"
        write(os.path.join(FIXTURE, "index." + part), text)
        write(os.path.join(FIXTURE, part + ".exc"), exceptions[part] + "\n")
    forms = "brels quons brelim smeths wends yorlches vaskmen vaskme trivs trived triving trov ulmed ulming doskest dosk dasker daskest huxest"
    return (" ".join(words for lines in synsets.values() for words in lines) + " " + forms).replace("(a)", "").replace("(p)", "").replace("(ip)", "").split()


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def sentence(rng, groups):
    words = [rng.choice(rng.choice(groups)) for _ in range(rng.randint(1, 16))]
    kind = rng.random()
    if kind < 0.06:
        return words[:1]
    return words[:2] * rng.randint(2, 5) if kind < 0.12 else words


def changed(rng, groups, words):
    """A rewrite: words exchanged within their group, replaced, dropped, doubled, moved, capitalised; or something else altogether."""
    kind = rng.random()
    if kind < 0.06:
        return list(words)
    if kind < 0.12:
        return sentence(rng, groups)
    if kind < 0.15:
        return rng.choices(UNKNOWN, k=rng.randint(1, 8))
    rate, out = rng.choice([0.2, 0.5, 0.9]), []
    for word in words:
        act = rng.random() / rate
        if act < 0.6:
            out.append(rng.choice(next((g for g in groups if word in g), [word])))
        elif act < 0.7:
            out.append(rng.choice(rng.choice(groups)))
        elif act < 0.8:
            out += [word, word]
        elif act < 0.9:
            out.append(word.capitalize())
        elif act >= 1:
            out.append(word)
    if rng.random() < 0.4:
        i, j = rng.randrange(len(words)), rng.randrange(len(words))
        out = out[i:] + out[:i] if i < j else out[::-1] if i == j else out
    return out or words[:1]


CORNERS = [("", ""), ("", "dog"), ("dog", ""), ("dog", "dog"), ("dog", "cat"), ("dog", "dogs"), ("dog dog dog", "dog"), ("dog", "dog dog dog"), ("fnar", "gleb"), ("Dog", "dOG")]


def pairs(rng, wordnet, groups, counts):
    for references, size in counts:
        for out, ref in CORNERS:
            yield out, [ref] * references
        for _ in range(size - len(CORNERS)):
            first = sentence(rng, groups)
            refs = [first] + [changed(rng, groups, first) for _ in range(references - 1)]
            yield " ".join(changed(rng, groups, first)), [" ".join(ref) for ref in refs]


def recorded(name, wordnet, words, rng, groups, counts):
    synonyms = {}
    for word in sorted(set(words)):
        found = {lemma.name() for synset in wordnet.synsets(word) for lemma in synset.lemmas() if "_" not in lemma.name()}
        digest = hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()[:12]
        synonyms[word] = [len(found), digest]
    lines = []
    for out, refs in pairs(rng, wordnet, groups, counts):
        value = meteor_score([ref.split() for ref in refs], out.split(), wordnet=wordnet)
        lines.append(json.dumps([out, *refs, round(value, 9)], ensure_ascii=False))
    head = {"name": name, "version": wordnet.get_version(), "synonyms": synonyms}
    return json.dumps(head, ensure_ascii=False)[:-1] + ', "pairs": [\n' + ",\n".join(lines) + "\n]}"


def demo_words():
    """The words in the grammar of the demo corpus."""
    words, folder = set(), os.path.join(ROOT, "corpus", "demo")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".go") and not name.endswith("_test.go"):
            with open(os.path.join(folder, name), encoding="utf-8") as source:
                for text in re.findall(r'"([^"\n]*)"|`([^`]*)`', source.read()):
                    words |= set(re.findall(r"[a-z']+", " ".join(text).lower()))
    return words


def main():
    rng = random.Random(13)
    stemmer = PorterStemmer()
    english = [word for group in GROUPS for word in group]
    stems = {word: stemmer.stem(word) for word in sorted(demo_words() | set(STEMMED) | {w.lower() for w in english})}
    invented = fixture()
    groups = [invented[i : i + 6] for i in range(0, len(invented), 6)] + [["ba", "ke", "lo"], [".", ","]]
    debian = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet"
    wordnets = [
        recorded("invented", reader(FIXTURE), invented, rng, groups, [(1, 250), (3, 100)]),
        recorded("WordNet", reader(debian), [w.lower() for w in english] + STEMMED, rng, GROUPS, [(1, 700), (2, 250), (4, 150)]),
    ]
    text = '{"stems": ' + json.dumps(stems, ensure_ascii=False) + ',\n"wordnets": [\n' + ",\n".join(wordnets) + "\n]}\n"
    write(os.path.join(HERE, "meteor.json"), text)


if __name__ == "__main__":
    main()
