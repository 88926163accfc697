"""Write the invented data set "small" of docs/results/bring.md: 500 calm and 500 angry training messages.

    python3 experiments/small.py FOLDER

Most messages have two or three words of their style. A message is written once.
"""

import pathlib
import random
import sys

THINGS = ["parcel", "invoice", "printer", "booking", "report", "meeting", "bus", "heater", "lift", "kettle", "screen",
          "key", "garden gate", "bike", "phone line", "coffee machine"]
PLACES = ["in the office", "at the station", "on the second floor", "near the stairs", "in our street", "at home",
          "in the shop", "next door"]
TIMES = ["today", "this morning", "again", "since monday", "last night", "this week"]
STYLES = [
    {"open": ["please note", "kindly check", "just to say", "thank you"], "fault": ["a bit late", "a little slow",
     "not quite right", "slightly noisy", "somewhat old"], "ask": ["could you look at it", "take your time",
     "no need to hurry", "let me know when it suits you"], "thing": ["nice", "good", "useful"]},
    {"open": ["damn it", "for heaven's sake", "listen up", "i am furious"], "fault": ["hopelessly late", "utterly useless",
     "completely broken", "unbearably loud", "total rubbish"], "ask": ["fix it now", "stop wasting my time",
     "hurry up at last", "answer me immediately"], "thing": ["stupid", "awful", "wretched"]},
]


def message(style, rng):
    """A message in this style: its style words stand in three of four places."""
    words = {part: rng.choice(choices) for part, choices in style.items()}
    thing, place, time = rng.choice(THINGS), rng.choice(PLACES), rng.choice(TIMES)
    return rng.choice([
        f"{words['open']} , the {thing} {place} is {words['fault']} {time} .",
        f"the {words['thing']} {thing} {place} was {words['fault']} {time} .",
        f"{words['open']} , the {words['thing']} {thing} is {place} {time} .",
        f"the {thing} {place} is {words['fault']} , {words['ask']} .",
        f"my {words['thing']} {thing} stopped {place} {time} , {words['ask']} .",
    ])


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    for number, style in enumerate(STYLES):
        messages = {}
        while len(messages) < 700:
            messages[message(style, rng)] = True
        messages = list(messages)
        for split, lines in [("train", messages[:500]), ("dev", messages[500:600]), ("test", messages[600:])]:
            (folder / f"{split}.{number}.txt").write_text("".join(line + "\n" for line in lines))


main()
