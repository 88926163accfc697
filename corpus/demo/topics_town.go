package demo

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
