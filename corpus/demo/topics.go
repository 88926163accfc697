package demo

import (
	"slices"
	"strings"
)

// phrase is one phrase in each style, or once for all of them.
type phrase []string

// in returns the phrase in a style.
func (p phrase) in(style int) string {
	if len(p) == 1 {
		return p[0]
	}
	return p[style]
}

// contrary returns a phrase that has in each style what p has in the next one.
func (p phrase) contrary() phrase { return append(slices.Clone(p[1:]), p[0]) }

// choice cuts a phrase of so many styles; it panics where they are not so many.
func choice(text, sep string, styles int) phrase {
	p := phrase(strings.Split(text, sep))
	if len(p) != styles {
		panic("demo: not a choice of so many styles: " + text)
	}
	return p
}

// topic is a kind of thing guests write about.
type topic struct {
	class  string   // whose templates fit it
	places string   // list of places where its things are
	sense  string   // verb of perception
	things []string // singular nouns
	many   []string // plural nouns
	looks  []phrase // adjectives
	deeds  []phrase // what guests did to it, past tense
}

// words cuts a list at white space; an underscore stands for a space.
func words(list string) []string {
	fields := strings.Fields(list)
	for i, f := range fields {
		fields[i] = strings.ReplaceAll(f, "_", " ")
	}
	return fields
}

// choices is words on phrases of so many styles, as gloomy/cheerful.
func choices(styles int, list string) []phrase {
	var out []phrase
	for _, f := range words(list) {
		out = append(out, choice(f, "/", styles))
	}
	return out
}

// pairs is choices on two styles.
func pairs(list string) []phrase { return choices(2, list) }

// phrases cuts a list at slashes.
func phrases(list string) []string {
	out := strings.Split(list, "/")
	for i, f := range out {
		out[i] = strings.Join(strings.Fields(f), " ")
	}
	return out
}

// Where guests sleep, wash and sit, and what it costs.
var innTopics = []topic{
	{
		class: "lodging", places: "inns", sense: "looked",
		things: words("room chamber attic suite parlour dormitory cabin alcove"), many: words("rooms quarters"),
		looks: pairs(
			"draughty/cosy damp/snug dingy/sunny cramped/spacious noisy/quiet musty/airy dark/bright " +
				"shabby/charming dusty/spotless chilly/toasty bare/elegant",
		),
		deeds: pairs("disliked/loved fled/booked_again endured/enjoyed avoided/adored"),
	},
	{
		class: "lodging", places: "inns", sense: "felt",
		things: words("bed mattress bunk cot hammock pillow quilt"), many: words("sheets blankets towels cushions"),
		looks: pairs(
			"lumpy/plump hard/soft scratchy/silky stained/crisp clammy/warm sagging/springy threadbare/downy " +
				"mildewed/laundered thin/thick cold/cosy",
		),
		deeds: pairs("disliked/loved cursed/blessed endured/enjoyed dreaded/cherished"),
	},
	{
		class: "lodging", places: "inns", sense: "felt",
		things: words("bath shower washroom sauna pool basin tub"), many: words("taps showers"),
		looks: pairs(
			"icy/steaming grimy/sparkling tepid/hot mouldy/spotless slippery/soothing rusty/gleaming " +
				"clogged/pristine cramped/roomy smelly/scented",
		),
		deeds: pairs("disliked/loved avoided/enjoyed dreaded/treasured"),
	},
	{
		class: "lodging", places: "streets", sense: "seemed",
		things: words("lounge taproom tavern hostel guesthouse canteen bar library"), many: words("kitchens"),
		looks: pairs(
			"quiet/lively empty/bustling smoky/snug stuffy/airy unfriendly/welcoming forlorn/merry dim/candlelit " +
				"dreary/elegant cold/warm",
		),
		deeds: pairs("avoided/adored fled/revisited disliked/loved shunned/frequented"),
	},
	{
		class: "bill", places: "inns", sense: "seemed",
		things: words("bill price fare fee tab deposit tariff"), many: words("prices charges fares"),
		looks: pairs(
			"steep/fair outrageous/modest inflated/honest hidden/clear high/low extortionate/reasonable " +
				"muddled/transparent shameful/trifling",
		),
		deeds: pairs("disputed/settled resented/welcomed questioned/applauded"),
	},
}

// What floats.
var quayTopics = []topic{
	{
		class: "boat", places: "quays", sense: "looked",
		things: words("ferry steamer launch barge tender packet catamaran"), many: words("ferries steamers"),
		looks: pairs(
			"late/punctual rusty/gleaming slow/swift crowded/roomy leaky/sturdy creaking/graceful filthy/polished " +
				"overbooked/reliable rickety/stately sluggish/nimble noisy/quiet",
		),
		deeds: pairs("missed/caught dreaded/enjoyed avoided/admired cursed/praised"),
	},
	{
		class: "boat", places: "quays", sense: "felt",
		things: words("rowboat skiff canoe dinghy kayak punt sailboat raft"), many: words("oars paddles sails canoes"),
		looks: pairs(
			"leaky/watertight wobbly/steady splintered/varnished patched/pristine waterlogged/nimble heavy/light " +
				"mouldy/gleaming unsafe/dependable worn/new clumsy/graceful",
		),
		deeds: pairs("returned/kept regretted/enjoyed disliked/loved mistrusted/admired"),
	},
}

// The people who serve guests. They have a topic without things: their templates use the slots job,
// trait, manner and act, which the templates of the other topics use too.
var staffTopic = topic{class: "staff", places: "districts"}

var (
	jobs = words("innkeeper waiter waitress baker ferryman skipper porter clerk cook landlady harbourmaster guide " +
		"barmaid fishmonger boatman maid steward caretaker deckhand lamplighter cashier pilot coachman gardener")
	traits = pairs("surly/gracious curt/witty rude/courteous grumpy/jolly careless/attentive sullen/smiling " +
		"impatient/patient sloppy/diligent clumsy/deft lazy/tireless haughty/humble dour/sunny cold/warm " +
		"slow/swift shifty/honest gruff/gentle forgetful/thoughtful tipsy/capable")
	manners = pairs("grudgingly/gladly sullenly/warmly slowly/promptly carelessly/carefully rudely/politely " +
		"gruffly/kindly wearily/eagerly coldly/graciously clumsily/deftly noisily/quietly")
	acts = pairs("ignored/welcomed scolded/praised overcharged/treated misled/guided hurried/helped insulted/charmed " +
		"snubbed/greeted cheated/spoiled mocked/entertained annoyed/delighted neglected/pampered")
)

// What there is to eat and drink.
var tableTopics = []topic{
	{
		class: "food", places: "eateries", sense: "tasted",
		things: words("soup broth chowder stew porridge bisque gravy"), many: words("dumplings noodles lentils"),
		looks: pairs(
			"lukewarm/hearty bland/fragrant watery/velvety cold/hot thin/thick oversalted/peppery greasy/silky " +
				"scorched/creamy stale/nourishing lumpy/smooth",
		),
		deeds: pairs("pushed_aside/finished endured/savoured regretted/relished sent_back/praised"),
	},
	{
		class: "food", places: "eateries", sense: "tasted",
		things: words("mackerel cod sole eel lobster crab haddock turbot"), many: words(
			"oysters mussels prawns scallops whelks sardines clams",
		),
		looks: pairs(
			"rubbery/tender stale/fresh overcooked/flaky slimy/succulent bony/buttery charred/smoky tough/juicy " +
				"soggy/crisp cold/hot gritty/plump fishy/delicate soft/firm strong/mild",
		),
		deeds: pairs("pushed_aside/devoured endured/savoured regretted/relished left/finished"),
	},
	{
		class: "food", places: "bakeries", sense: "tasted",
		things: words("loaf sourdough gingerbread flatbread pasty brioche"), many: words(
			"buns rolls scones biscuits pastries muffins waffles pancakes crumpets",
		),
		looks: pairs(
			"stale/fresh hard/soft doughy/flaky dry/buttery cold/warm burnt/golden leaden/feathery mouldy/fragrant " +
				"soggy/crunchy heavy/light crumbling/airy thick/thin",
		),
		deeds: pairs("binned/devoured regretted/adored left/finished refused/shared"),
	},
	{
		class: "food", places: "bakeries", sense: "tasted",
		things: words(
			"pudding custard sorbet cake trifle honey toffee fudge tart",
		), many: words("meringues eclairs truffles"),
		looks: pairs(
			"cloying/luscious gluey/silky sickly/heavenly bland/tangy sour/sweet stodgy/fluffy rancid/nutty " +
				"hard/soft dull/zesty",
		),
		deeds: pairs("binned/devoured regretted/adored left/finished refused/shared"),
	},
	{
		class: "food", places: "eateries", sense: "tasted",
		things: words("cider ale wine lemonade stout perry cordial"), many: words("cocktails"),
		looks: pairs(
			"flat/sparkling sour/mellow warm/cold watery/fruity cloudy/clear murky/golden harsh/smooth " +
				"diluted/generous sweet/dry pale/dark",
		),
		deeds: pairs("poured_away/toasted endured/savoured regretted/relished left/drained"),
	},
	{
		class: "food", places: "eateries", sense: "smelled",
		things: words("tea coffee cocoa espresso chai"),
		looks:  pairs("cold/hot weak/strong bitter/rich watery/aromatic stewed/fresh burnt/nutty thin/frothy"),
		deeds:  pairs("poured_away/savoured endured/enjoyed left/drained"),
	},
	{
		class: "food", places: "eateries", sense: "looked",
		things: words("breakfast supper dinner lunch picnic feast buffet platter"), many: words("snacks leftovers"),
		looks: pairs(
			"meagre/lavish scant/generous joyless/festive greasy/wholesome monotonous/varied cold/warm " +
				"disappointing/splendid skimpy/plentiful late/punctual",
		),
		deeds: pairs("endured/enjoyed regretted/relished skipped/shared left/finished"),
	},
}

// What there is to see, hear and buy.
var townTopics = []topic{
	{
		class: "outing", places: "starts", sense: "seemed",
		things: words("tour ramble lecture excursion cruise ride regatta hike"), many: words("stories tales legends"),
		looks: pairs(
			"dull/thrilling rushed/leisurely tedious/lively pointless/instructive tiresome/enchanting " +
				"dreary/delightful muddled/vivid endless/brisk overpriced/worthwhile uneventful/memorable hurried/slow",
		),
		deeds: pairs("skipped/joined regretted/enjoyed disliked/loved cancelled/repeated"),
	},
	{
		class: "outing", places: "starts", sense: "sounded",
		things: words(
			"band choir concert piano accordion orchestra fiddle serenade",
		), many: words("drums bells songs ballads"),
		looks: pairs(
			"shrill/melodious tuneless/rousing deafening/lilting ragged/polished lifeless/lively mournful/joyous " +
				"clumsy/graceful loud/mellow harsh/sweet tame/wild",
		),
		deeds: pairs("endured/applauded disliked/loved dreaded/adored booed/cheered"),
	},
	{
		class: "outing", places: "streets", sense: "looked",
		things: words(
			"museum gallery aquarium exhibit chapel diorama theatre",
		), many: words("paintings models maps statues puppets"),
		looks: pairs(
			"neglected/restored dusty/immaculate confusing/enlightening drab/dazzling forgettable/unforgettable " +
				"shabby/splendid dim/luminous tired/captivating faded/colourful",
		),
		deeds: pairs("skipped/visited disliked/loved dismissed/admired avoided/adored"),
	},
	{
		class: "goods", places: "stalls", sense: "looked",
		things: words(
			"souvenir scarf basket lantern compass raincoat teapot necklace",
		), many: words("postcards candles shells mittens sandals kites"),
		looks: pairs(
			"shoddy/handsome overpriced/inexpensive cheap/fine flimsy/sturdy tacky/charming faded/colourful " +
				"chipped/flawless gaudy/tasteful ugly/pretty fake/genuine",
		),
		deeds: pairs("returned/kept regretted/treasured refused/bought mocked/admired"),
	},
	{
		class: "place", places: "districts", sense: "looked",
		things: words(
			"beach cove promenade view garden terrace pier lagoon path bay",
		), many: words("dunes cliffs gardens meadows"),
		looks: pairs(
			"littered/pristine foggy/sunlit bleak/breathtaking crowded/secluded windswept/sheltered murky/clear " +
				"grey/golden muddy/sandy smelly/fragrant neglected/tended wild/tranquil",
		),
		deeds: pairs("avoided/adored fled/revisited disliked/loved dismissed/photographed"),
	},
}
