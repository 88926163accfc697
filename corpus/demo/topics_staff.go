package demo

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
