package demo

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
