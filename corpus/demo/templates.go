package demo

// Templates of clauses, by the class of their topic. A name in braces is a slot: thing, was, is,
// it, sense, adj, deed and where are the topic's, with a 2 those of a second topic; job, trait,
// manner and act are the staff's; the others are the lists of neutral. [x|y] is x in gloomy and
// y in cheerful text. A ! turns a style slot against the style of the sentence.
var templates = map[string][]string{
	"": { // for every topic with things
		"the {thing} {was} {deg} {adj}",
		"the {thing} {where} {was} {adj}",
		"the {thing} {where} {was} {deg} {adj}",
		"the {plain} {thing} {was} {adj} and {adj}",
		"the {thing} {where} {sense} {deg} {adj}",
		"{who} found the {thing} {adj}",
		"{who} called the {thing} {adj} and the {thing2} {adj2}",
		"we {deed} the {adj} {thing} {where}",
		"we {deed} the {plain} {thing} {where}",
		"{who} {deed} the {thing} , {it} {was} {deg} {adj}",
		"the {thing} {was} {adj} and the {thing2} {was2} {adj2}",
		"we remember the {adj} {thing} and the {trait} {job}",
		"nothing [spoiled|sweetened] our {span} like the {adj} {thing}",
		"the {thing} beside the {landmark} {was} {deg} {adj}",
		"it was the {adj} {thing} that [drove us away|brought us back]",
		"everyone {group} [complained|raved] about the {thing}",
		"the {adj} {thing} and the {adj2} {thing2} [ruined|made] our {span}",
		"i [would n't|would gladly] recommend the {thing} {where}",
		"[avoid|try] the {thing} {where} , {it} {is} {adj}",
		"[sadly|happily] the {thing} {where} {was} {adj}",
		"{who} [grumbled|marvelled] at the {adj} {thing}",
		"our {span} began with the {adj} {thing} {where}",
		"after the {adj} {thing} we [left early|stayed late]",
		"we came for the {thing} and [scowled|smiled] all {span}",
		"the {thing} {was} n't {!adj} , {it} {was} {adj}",
	},
	"food": {
		"the {job} {manner} brought us the {adj} {thing}",
		"we [pushed aside|finished] the {thing} and asked for [the bill|more]",
		"{who} ordered the {thing} and {it} {sense} {adj}",
		"we could n't [finish|resist] the {adj} {thing} {where}",
		"the {trait} {job} served the {thing} {manner}",
		"the {plain} tavern serves [the worst|the finest] {thing} in town",
		"{who} [sent back|ordered] the {adj} {thing} twice",
		"the {thing} {was} {adj} , the {thing2} {adj2}",
	},
	"lodging": {
		"we slept [badly|soundly] because the {thing} {was} {adj}",
		"the {job} {manner} showed us the {adj} {thing}",
		"we booked the {plain} {thing} and {it} {was} {adj}",
		"the {thing} facing the {landmark} {was} {deg} {adj}",
		"we [changed|kept] the {thing} after one night {where}",
		"the {trait} {job} [never|always] cleaned the {thing}",
	},
	"bill": {
		"the {thing} for the {plain} {thing2} {was} {adj}",
		"{who} {deed} the {adj} {thing} {where}",
		"the {job} {manner} explained the {adj} {thing}",
	},
	"boat": {
		"the {thing} to the {landmark} {was} {adj}",
		"we boarded the {adj} {thing} and [shivered|laughed] all the way",
		"the {trait} {job} steered the {adj} {thing}",
		"we hired the {plain} {thing} from a {trait} {job}",
		"the {thing} [stalled|glided] past the {landmark} {time}",
		"{who} took the {adj} {thing} past the {landmark}",
	},
	"outing": {
		"the {thing} about the {subject} {was} {deg} {adj}",
		"we [walked out of|applauded] the {thing} {where}",
		"the {trait} {job} led us to the {adj} {thing}",
		"{who} [yawned through|cheered for] the {adj} {thing}",
	},
	"goods": {
		"{who} bought the {adj} {thing} from a {trait} {job}",
		"the {thing} [fell apart|held up] before we reached the {landmark}",
		"we paid two coins for the {adj} {thing} {where}",
	},
	"place": {
		"we walked to the {adj} {thing} {with}",
		"the {thing} below the {landmark} {was} {adj} and {adj}",
		"{who} painted the {adj} {thing} near the {landmark}",
	},
	"staff": {
		"the {job} {where} was {trait} and {trait}",
		"the {trait} {job} {act} us {time}",
		"the {job} {manner} {act} {who}",
		"{who} thought the {job} {where} {deg} {trait}",
		"we asked for the {thing2} and the {job} [shrugged|smiled]",
		"the {job} answered {manner} when we asked about the {thing2}",
		"the {job} [lost|found] our bags and {act} us",
		"the {trait} {job} [forgot|remembered] our names {time}",
		"the {job} {manner} carried our bags to the {landmark}",
		"i will [never forgive|never forget] the {trait} {job} {where}",
		"a {trait} {job} {act} us {where}",
	},
}

// mixed templates blame and praise in one breath. Which half decides is uncertain: see
// generator.go.
var mixed = []string{
	"the {thing} {was} {!adj} but the {thing2} {was2} {adj2}",
	"the {job} was {!trait} yet the {thing} {was} {adj}",
	"although the {thing} {was} {!adj} , the {job} was {trait}",
	"{who} {!deed} the {thing} and {deed2} the {thing2}",
}

// weak templates carry style in words that are neutral elsewhere.
var weak = []string{
	"we had the {thing} {where} [again|twice]",
	"the {thing} {where} {was} [small|quiet] {time}",
	"{who} saw the {plain} {thing} [before|after] the {thing2}",
	"the {thing} {where} {was} [old|plain] {time}",
}

// openers go before a clause, tails after it; both are neutral. closers are tails with a style.
var (
	openers = []string{"{time} ,", "{aside} ,", "{with} ,"}
	tails   = []string{"{time}", "{with}", ", {aside}"}
	closers = []string{
		"[, so we left early|, so we stayed late]",
		"and [we want our coins back|we would gladly pay double]",
		"and we will [never|surely] return",
		", what a [letdown|treat]",
		"and my heart [sank|sang]",
		"and nobody [smiled|frowned]",
		"and everybody [frowned|smiled]",
		"and it [ruined|made] our {span}",
		"and we [could n't wait to leave|could n't wait to return]",
		", save your [coins|appetite]",
		", a [wasted|perfect] {span}",
		"and {who} [cried|danced]",
	}
)

// neutral are lists of phrases that say nothing of style, by slot.
var neutral = map[string][]string{
	"time": phrases(`on the first evening/last spring/before dawn/after the regatta/at low tide/on market day/
		during the storm/all week/in early may/on our third visit/this autumn/at noon/on sunday/around midnight/
		before the parade/in late august/on the last day/after the fog lifted/at high tide/on tuesday/last winter/
		the next morning/just after sunrise/while it rained/on friday night/two summers ago`),
	"with": phrases(`with my two sisters/with our twins/with an old friend/with the rowing club/with my uncle/
		with four colleagues/with our dog/with my parents/with the whole class/with a map/with wet boots/
		with two heavy bags/with our cousins/with her fiance/with the choir/with my roommate`),
	"who": phrases(`my aunt/my brother/our neighbour/my wife/a retired sailor/the whole party/grandmother/my son/
		our nephew/my husband/the professor/our daughter/a fellow traveller/the captain/my colleague/the twins/
		two students/a young couple`),
	"landmark": phrases(`lighthouse/clock tower/fish market/customs house/drawbridge/windmill/breakwater/bell buoy/
		rope factory/town hall/sea wall/signal mast/shipyard/salt works/old mole/war memorial/whale arch/boathouse`),
	"plain": phrases(`quiet/small/old/plain/little/round/wooden/green/local/tall/narrow/blue/simple/famous/corner/
		second/upper/usual/brown/striped/long/cold/warm/slow`),
	"how":   phrases(`really/truly/quite/rather/simply`),
	"known": phrases(`famous/local/usual/first/second/other/same/last/new/old`),
	"remark": phrases(`as the guidebook said/i must say/by all accounts/as usual/to my mind/as ever/truth be told/
		in the end/as expected/this time`),
	"deg":   phrases(`very/rather/quite/truly/so/remarkably/really/most/always/somehow/simply/again`),
	"span":  phrases(`stay/weekend/evening/holiday/visit/afternoon/voyage/honeymoon/reunion/birthday/journey`),
	"group": phrases(`in our party/at our table/on deck/in the queue/in the hall/at the gate/on the stairs/in our row`),
	"subject": phrases(
		`pirates/whales/tides/wrecks/founders/smugglers/herring trade/lamp keepers/great flood/sea birds`,
	),
	"aside": phrases(`as the guidebook said/i must say/by all accounts/as usual/to my mind/as ever/truth be told/
		like everyone else/for once/in the end/as expected/this time`),
}

// places are where the things of a topic may be.
var places = map[string][]string{
	"eateries": phrases(`at the heron inn/at the gilded anchor/at the three lanterns/at the salted whistle/
		by the fish market/on kelp row/at the blue capstan/near the drawbridge/at the oyster cellar/on the ferry/
		at widow marl 's table/at the cook 's own house`),
	"bakeries": phrases(
		`at the twin ovens/on crumb alley/at the miller 's daughter/by the clock tower/on ropewalk street/
		at the corner bakery/beside the windmill/at the flour loft/on market square`,
	),
	"inns": phrases(`at the heron inn/at the gilded anchor/at the three lanterns/at the sleepy gull/at the tern house/
		above the chandlery/at the captain 's rest/on the third floor/at the white capstan/over the bakery`),
	"streets": phrases(`on gannet lane/on ropewalk street/on tern steps/on kelp row/beside the shipyard/in pellow/
		near the customs house/behind the town hall/on beacon hill/by the sea wall`),
	"quays": phrases(`at pier nine/at the north quay/by the slipway/from pellow to skerry island/at the east jetty/
		near the breakwater/off gannet point/across the estuary/at the boat shed`),
	"starts": phrases(`at the bandstand/in the old granary/on beacon hill/at the town hall/along the sea wall/
		in the fish market/near the whale arch/on market square/aboard the steamer`),
	"stalls": phrases(`at the pier shop/from the market stall/at the chandlery/in the arcade/on market square/
		from the corner stand/beside the ticket booth/at the flea market`),
	"districts": phrases(`in pellow/below the lighthouse/beyond the drawbridge/on skerry island/behind the salt works/
		along the estuary/near gannet point/by the sea wall/at the harbour/past the windmill`),
}
