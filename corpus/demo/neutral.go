package demo

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
