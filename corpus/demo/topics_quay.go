package demo

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
