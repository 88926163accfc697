package demo

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
