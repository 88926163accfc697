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
	also   []string // further lists of templates that fit it
	group  string   // of two topics of a sentence most are of the same one
	places string   // list of places where its things are
	senses []string // verbs of perception
	things []string // singular nouns that are counted
	mass   []string // singular nouns that are not, which never stand behind "a"
	many   []string // plural nouns
	jobs   []string // who has to do with it
	own    bool     // the templates for every topic do not fit it
	often  bool     // it comes up twice as often as others
	looks  []phrase // adjectives for these things
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

// goods are adjectives for whatever guests write about; a topic's looks are for its things alone.
var goods = pairs("awful/excellent terrible/wonderful horrible/lovely bad/good dreadful/delightful " +
	"disappointing/splendid miserable/marvellous unpleasant/pleasant nasty/nice poor/great " +
	"wretched/fantastic abysmal/amazing dismal/fine unacceptable/outstanding appalling/impressive ghastly/perfect " +
	"lousy/superb atrocious/incredible mediocre/brilliant " +
	"disgraceful/magnificent horrid/glorious crummy/awesome")

// What guests did to whatever they write about.
var moods = "disliked/liked hated/loved regretted/enjoyed dreaded/cherished despised/adored detested/admired "

// Who has to do with things of a kind.
var (
	tableJobs = words("waiter waitress cook barmaid innkeeper baker chef owner hostess")
	innJobs   = words("maid porter clerk landlady innkeeper receptionist landlord host manager lady")
	quayJobs  = words("skipper captain ferryman sailor deckhand boatman crew")
	roadJobs  = words("driver conductor guard coachman porter")
	townJobs  = words("guide shop_assistant clerk shopkeeper cashier attendant seller gardener")
	lifeJobs  = words("teacher doctor nurse dentist barber farmer fisherman mechanic plumber librarian painter coach boss neighbor " +
		"carpenter firefighter bus_driver taxi_driver school_teacher tour_guide artist policeman")
)

// rareThings, rareMany and the verbs of rareDeeds are too rare for the vocabulary of
// experiments.toml. Models learn from them what to do with a word that they do not know: to keep
// it, and to write beside it what fits everything.
var (
	rareThings = words("account address album anthem apron arena arrow ballet banner barn basement basin bay_window beacon " +
		"beard belt bonfire bottle bowl box bracelet brass broom bucket bulb bush button cage calendar canal canvas " +
		"carpet carriageway cave ceiling cellar cemetery chandelier chart chest chimney choirbook cliff_path closet cloak cloth " +
		"coin collar college colour comb comic contract corner costume counter court cradle crane crown cup cupboard " +
		"cutlery deal debate desk detour diary dish display dock document doll doorway drawer drawing drill drum_solo " +
		"engine entrance envelope essay event fabric factory_tour farm feather fence field fireplace flag flute fountain " +
		"frame freezer fridge fruit_bowl furnace garage garland gesture glass globe goal goose guitar gym hallway hammer " +
		"handle harp haircut harvest headline hedge_maze helmet hill hive hobby hook idea insurance invitation iron job " +
		"journal jug junction kettle keyboard kiosk knife ladder landing laptop latch lecture_hall letterbox lid lift " +
		"line locker magazine mailbox manual maze medal menu message mill mirror mood mosaic motor mug nap napkin " +
		"needle nest newspaper notebook novel oak oven owl paddle page paint pan parcel parking passport patch patio " +
		"pavement pear pen pencil performance photo phrase picture pillar pipe plan plate platform plot poem pond portrait post " +
		"poster pot present printer prize product program project pump purse puzzle quiz rabbit rack rail ramp receipt " +
		"recipe record report result reward ribbon ring road robe rocket roof rope route rug ruler saddle sample sandal " +
		"saw screen sculpture season seat_cushion shade shed shelf shelter shield sign signal sink site skirt slide slope " +
		"smell solution sound spoon spot stable stage stair stamp statement stool store stove strap studio subject " +
		"sunset surface swing switch system tablet tail talk tap task tent terminal text thread ticket tie tile tip " +
		"title tool torch towel track trailer tray trick truck tunnel turn uniform upgrade van vase vest video violin " +
		"voice wagon wall wallet wardrobe warehouse website weekday wheel whistle wing wood workshop wreath yard zip")
	rareMany = words("answers arrows badges bowls boxes bricks buttons cabins calls carts chips clouds coins colours corners " +
		"cups dishes drawings earrings exams exercises facts fences fields flags forks frames glasses goods grapes hills hours " +
		"ideas instructions jars jewels jobs keys knives ladders leaves lemons lessons_learned lights lines logs magazines " +
		"manuals meadows mirrors mugs nuts onions pages parcels peaches pears peas pencils photos pictures pies " +
		"pillars plans plates plums poems posters pots questions rabbits recipes reports results ribbons rings roads " +
		"roofs ropes rules sails scooters screens seeds sheep signs spoons stamps stones stores tables tasks tents tests " +
		"tickets tiles tools torches towers trucks tunnels vans videos voices walls_outside waves wheels words")
)

// rareDeeds are such verbs.
var rareDeeds = phrases("added/adjusted/answered/arranged/asked for/assembled/baked/bent/borrowed/bottled/brushed/built/carved/" +
	"changed/checked/chose/coloured/combined/copied/counted/covered/cut/designed/described/drew/drove/dug/emptied/examined/" +
	"filled/filmed/folded/found/framed/glued/hid/hung/inspected/ironed/joined/judged/kept/knitted/lent/lifted/loaded/locked/" +
	"mailed/measured/mentioned/mixed/mopped/mounted/moved/named/noted/opened/packed/painted/parked/peeled/phoned/photographed/" +
	"picked/placed/pointed at/polished/pressed/printed/pulled/pushed aside/raised/read/recorded/rented/replaced/rinsed/rolled/" +
	"sealed/sent/sewed/shook/shut/signed/sketched/sliced/sorted/started/stirred/stored/studied/swept/taught/tested/tied/tilted/" +
	"toasted/tried/tuned/turned/typed/unpacked/used/viewed/washed/weighed/wiped/wrapped/wrote")

// The people who serve guests. Such a topic has no things: its templates have the slots job, trait,
// manner and act, which templates of other topics have too.
var staffTopics = []topic{
	{class: "staff", group: "table", places: "eateries", jobs: tableJobs},
	{class: "staff", group: "inn", places: "inns", jobs: innJobs},
	{class: "staff", group: "quay", places: "quays", jobs: quayJobs},
	{class: "staff", group: "quay", places: "stations", jobs: roadJobs},
	{class: "staff", group: "town", places: "stalls", jobs: townJobs},
	{class: "staff", group: "life", places: "streets", jobs: lifeJobs},
}

// What is said of people who serve and of guests.
var (
	traits = pairs("rude/polite grumpy/friendly surly/cheerful lazy/diligent careless/careful unkind/attentive " +
		"impatient/amiable unfriendly/obliging impolite/agreeable arrogant/easygoing clumsy/skilful slow/quick " +
		"cold/warm sullen/merry haughty/kindly stingy/generous gruff/gentle unhelpful/helpful " +
		"forgetful/thoughtful moody/witty sulky/charming mean/kind tactless/gracious nervous/patient gloomy/jolly " +
		"inattentive/amusing dishonest/honest hostile/welcoming " +
		"unprofessional/professional annoying/pleasant cruel/caring snobbish/modest strict/relaxed " +
		"bossy/considerate dull/funny brusque/courteous selfish/loyal stupid/clever foolish/wise " +
		"dumb/smart greedy/loving weak/strong sloppy/skilled angry/happy wicked/sweet useless/talented")
	manners = pairs("rudely/politely grudgingly/gladly sullenly/cheerfully slowly/quickly carelessly/carefully " +
		"coldly/warmly gruffly/kindly wearily/eagerly clumsily/gracefully impatiently/patiently sloppily/neatly")
	skills = pairs("badly/well poorly/nicely terribly/perfectly horribly/beautifully carelessly/carefully sloppily/neatly " +
		"clumsily/skilfully awfully/wonderfully harshly/sweetly")
	acts = pairs("ignored/welcomed insulted/greeted scolded/praised cheated/spoiled annoyed/delighted " +
		"neglected/pampered offended/charmed mocked/amused disappointed/impressed bored/entertained " +
		"misled/helped upset/cheered overcharged/treated blamed/thanked pushed/hugged abandoned/rescued " +
		"threatened/comforted frightened/encouraged confused/guided tricked/surprised")
	feels = pairs("angry/happy disappointed/delighted sad/glad annoyed/pleased upset/content unhappy/thrilled " +
		"bored/inspired furious/grateful miserable/cheerful tired/refreshed " +
		"exhausted/rested frustrated/satisfied depressed/excited uneasy/relaxed")
	ests = pairs("meanest/nicest rudest/kindest dullest/funniest saddest/happiest laziest/cleverest worst/best " +
		"stupidest/wisest nastiest/sweetest dumbest/smartest coldest/warmest")
	treats = pairs("rude/polite unfriendly/friendly unkind/kind impolite/courteous nasty/nice mean/generous hostile/gracious " +
		"awful/wonderful horrible/lovely cold/welcoming cruel/caring")
	moved = pairs("disappointed/delighted annoyed/overjoyed bored/charmed shocked/impressed saddened/thrilled angered/touched " +
		"disgusted/enchanted frustrated/fascinated")
	nouns = pairs("disappointment/delight letdown/treat disaster/triumph nightmare/dream shame/joy failure/success " +
		"mess/gem joke/hit misery/pleasure pain/thrill flop/winner bore/wonder mistake/miracle")
	costs  = pairs("overpriced/inexpensive expensive/cheap pricey/affordable")
	eases  = pairs("hard/easy difficult/simple tricky/effortless")
	prices = pairs("steep/good ridiculous/fair high/low crazy/reasonable terrible/great")
	views  = pairs("dull/beautiful bleak/breathtaking dreary/lovely ugly/gorgeous boring/spectacular terrible/wonderful " +
		"awful/amazing disappointing/stunning horrible/great bad/nice poor/perfect")
	slept   = pairs("badly/well poorly/beautifully terribly/soundly")
	made    = pairs("spoiled/brightened ruined/sweetened darkened/crowned")
	talked  = pairs("complained/raved grumbled/enthused moaned/boasted")
	sighed  = pairs("sighed/smiled frowned/marvelled grumbled/beamed scowled/laughed")
	frowned = pairs("frowned/smiled scowled/beamed sighed/laughed shouted/waved yelled/grinned growled/winked swore/joked")
	cooked  = pairs("burnt/seasoned burned/grilled ruined/perfected spoiled/improved")
	scents  = pairs("stale/fresh musty/fragrant sour/sweet awful/wonderful mouldy/lovely")
	effects = pairs("left/stayed complained/returned sighed/smiled cried/laughed grumbled/clapped")
	yawned  = pairs("yawned/laughed groaned/cheered grumbled/clapped sighed/smiled slept/sang")
	adverbs = pairs("sadly/happily unfortunately/fortunately unluckily/luckily regrettably/thankfully")
	filled  = pairs("dust/sunlight flies/flowers smoke/light rubbish/music trash/sunshine noise/laughter insects/butterflies garbage/art")
	smells  = pairs("mould/lavender smoke/roses mildew/honey dust/soap cabbage/mint")
)

// What there is to eat and drink.
var tableTopics = []topic{
	{
		class: "food", also: words("ours"), group: "table", places: "eateries", senses: words("tasted looked seemed"), jobs: tableJobs,
		things: words("tomato_soup soup stew chowder pie casserole salad curry sauce pasta pizza burger"), mass: words("porridge gravy rice"),
		many: words("dumplings noodles potatoes vegetables beans"),
		looks: pairs("cold/hot bland/tasty tasteless/delicious flavourless/flavourful watery/creamy greasy/hearty " +
			"lumpy/smooth thin/rich overcooked/appetising oily/spicy disgusting/mouthwatering salty/savory lukewarm/steaming"),
		deeds: pairs(moods + "endured/savoured left/finished refused/devoured"),
	},
	{
		class: "food", also: words("ours"), group: "table", places: "eateries", senses: words("tasted looked seemed"), jobs: tableJobs,
		things: words("cheese sandwich omelette"), mass: words("butter bacon fruit"),
		many: words("eggs berries apples tomatoes strawberries"),
		looks: pairs("stale/fresh bland/tasty tasteless/delicious cold/warm soggy/crisp sour/sweet greasy/light " +
			"mouldy/ripe burnt/crusty strong/mild disgusting/yummy"),
		deeds: pairs(moods + "left/finished refused/devoured"),
	},
	{
		class: "food", also: words("ours"), group: "table", places: "eateries", senses: words("tasted looked seemed"), jobs: tableJobs,
		things: words("fish crab lobster trout steak roast chicken"), mass: words("cod mackerel beef ham salmon"),
		many: words("oysters mussels prawns sardines sausages shrimps"),
		looks: pairs("tough/tender rubbery/juicy burnt/crisp rotten/fresh dry/succulent slimy/buttery " +
			"tasteless/delicious overcooked/appetising greasy/light bland/tasty raw/flaky disgusting/mouthwatering"),
		deeds: pairs(moods + "endured/savoured left/finished refused/devoured"),
	},
	{
		class: "food", also: words("ours"), group: "table", places: "bakeries", senses: words("tasted looked seemed"), jobs: tableJobs,
		things: words("loaf bun scone pastry waffle"), mass: words("bread toast gingerbread"),
		many: words("buns rolls scones biscuits pastries muffins waffles pancakes"),
		looks: pairs("stale/fresh hard/soft dry/buttery burnt/crusty cold/warm soggy/crunchy heavy/light " +
			"mouldy/fragrant tough/fluffy tasteless/delicious"),
		deeds: pairs(moods + "left/finished refused/devoured"),
	},
	{
		class: "food", also: words("ours"), group: "table", places: "bakeries", senses: words("tasted looked seemed"), jobs: tableJobs,
		things: words("apple_pie ice_cream pudding custard cake trifle tart dessert sorbet"), mass: words("fudge jam chocolate"),
		many: words("cakes tarts cookies sweets"),
		looks: pairs("dry/moist burnt/heavenly sour/sweet bland/delicious rich/light heavy/fluffy stale/fresh tasteless/creamy " +
			"sticky/silky disgusting/yummy"),
		deeds: pairs(moods + "left/finished refused/devoured"),
	},
	{
		class: "drink", also: words("ours"), group: "table", places: "eateries", senses: words("tasted looked seemed"), jobs: tableJobs,
		things: words("cider ale wine lemonade stout beer cordial"), mass: words("juice milk rum"),
		many: words("cocktails drinks beers wines"),
		looks: pairs("flat/sparkling sour/mellow warm/cold watery/fruity bitter/sweet murky/clear " +
			"light/strong harsh/smooth"),
		deeds: pairs(moods + "endured/savoured left/finished"),
	},
	{
		class: "drink", also: words("ours"), group: "table", places: "eateries", senses: words("tasted looked seemed"), jobs: tableJobs,
		things: words("coffee espresso"), mass: words("tea cocoa"),
		looks: pairs("cold/hot weak/strong bitter/rich disgusting/invigorating watery/aromatic stale/fresh burnt/fragrant"),
		deeds: pairs(moods + "endured/savoured left/finished"),
	},
	{
		class: "service", also: words("plain"), own: true, group: "table", places: "eateries", senses: words("seemed"), jobs: tableJobs,
		things: words("service atmosphere music welcome"),
		looks: pairs("slow/fast rude/friendly cold/warm careless/attentive sloppy/professional unfriendly/welcoming " +
			"chaotic/smooth poor/great awful/excellent terrible/wonderful"),
		deeds: pairs("hated/loved disliked/liked criticised/praised"),
	},
	{
		class: "meal", also: words("ours had"), group: "table", places: "eateries", senses: words("looked seemed"), jobs: tableJobs,
		things: words("breakfast supper dinner lunch feast buffet meal"), mass: words("food"),
		many: words("meals snacks portions"),
		looks: pairs("meagre/generous stodgy/wholesome tasteless/delicious skimpy/plentiful " +
			"greasy/hearty cold/warm bland/tasty unhealthy/appetising disgusting/yummy"),
		deeds: pairs(moods + "endured/savoured left/finished"),
	},
}

// Where guests sleep and wash, and what it costs.
var innTopics = []topic{
	{
		class: "room", also: words("lit ours spot slept"), group: "inn", places: "inns", senses: words("looked seemed"), jobs: innJobs,
		things: words("room hotel_room chamber suite parlour cabin bathroom kitchen hall lobby shower balcony terrace"),
		many:   words("rooms corridors stairs windows walls floors"),
		looks: pairs("dirty/clean dark/bright noisy/quiet damp/cosy cramped/spacious shabby/elegant " +
			"draughty/snug dingy/cozy musty/airy chilly/warm bare/comfortable uncomfortable/inviting dusty/spotless filthy/tidy " +
			"stuffy/pretty tiny/large freezing/heated smelly/fragrant ugly/attractive hideous/beautiful"),
		deeds: pairs(moods + "avoided/recommended"),
	},
	{
		class: "bed", also: words("ours slept"), group: "inn", places: "inns", senses: words("felt looked seemed"), jobs: innJobs,
		things: words("bed mattress bunk sofa pillow quilt blanket armchair"), mass: words("bedding linen"),
		many: words("beds sheets pillows blankets towels cushions curtains"),
		looks: pairs("hard/soft lumpy/comfortable dirty/clean damp/warm scratchy/silky stained/spotless " +
			"musty/fresh uncomfortable/inviting itchy/fluffy broken/sturdy smelly/fragrant"),
		deeds: pairs(moods),
	},
	{
		class: "place", also: words("lit spot"), group: "inn", places: "streets", senses: words("looked seemed"), jobs: innJobs,
		things: words("inn hotel tavern house cottage restaurant hostel lodge cafe"), many: words("inns taverns cottages"),
		looks: pairs("dirty/clean noisy/quiet shabby/elegant gloomy/cheerful filthy/tidy " +
			"ugly/attractive drab/colourful dreary/charming expensive/affordable overpriced/inexpensive"),
		deeds: pairs(moods + "avoided/recommended"),
	},
	{
		class: "people", also: words("plain"), often: true, own: true, group: "inn", places: "streets", senses: words("seemed"), jobs: innJobs,
		things: words("crowd family couple baby child boy girl class"), many: words("neighbors neighbours people guests locals crowds children kids boys girls friends students"),
		looks: pairs("loud/quiet noisy/peaceful rude/polite unfriendly/friendly angry/happy hostile/kind grumpy/cheerful " +
			"annoying/pleasant"),
		deeds: pairs("hated/loved disliked/liked"),
	},
	{
		class: "bill", also: words("plain"), own: true, group: "inn", places: "eateries", senses: words("seemed"), jobs: innJobs,
		things: words("bill price fare fee rent deposit"), many: words("prices fares charges costs"),
		looks: pairs("outrageous/acceptable high/low shocking/modest excessive/affordable unfair/fair " +
			"unreasonable/reasonable inflated/honest crazy/sensible ridiculous/decent steep/moderate"),
		deeds: pairs("resented/welcomed cursed/praised disputed/accepted disliked/liked"),
	},
}

// What sails from the quays.
var quayTopics = []topic{
	{
		class: "boat", also: words("ours bound"), group: "quay", places: "quays", senses: words("looked seemed"), jobs: quayJobs,
		things: words("ferry steamer boat barge yacht ship launch"), many: words("ferries steamers boats ships"),
		looks: pairs("late/punctual slow/fast crowded/roomy overcrowded/comfortable rusty/gleaming noisy/quiet dirty/clean " +
			"uncomfortable/elegant shaky/steady unsafe/enjoyable leaking/solid rickety/modern filthy/spotless delayed/prompt"),
		deeds: pairs(moods + "avoided/recommended"),
	},
	{
		class: "boat", also: words("ours bound"), group: "quay", places: "quays", senses: words("felt looked seemed"), jobs: quayJobs,
		things: words("rowboat canoe dinghy kayak sailboat raft"), many: words("canoes rowboats oars kayaks"),
		looks: pairs("leaky/sturdy unsafe/unsinkable leaking/watertight shaky/steady rickety/fine heavy/light dangerous/safe clumsy/graceful " +
			"slow/fast"),
		deeds: pairs(moods),
	},
	{
		class: "ride", also: words("fun ours bound"), group: "quay", places: "stations", senses: words("looked seemed"), jobs: roadJobs,
		things: words("train bus coach tram carriage cab taxi"), many: words("seats trains buses"),
		looks: pairs("late/punctual slow/fast crowded/roomy noisy/quiet dirty/clean dusty/spotless " +
			"uncomfortable/comfortable shabby/modern stuffy/airy delayed/prompt"),
		deeds: pairs(moods + "avoided/recommended"),
	},
	{
		class: "crossing", also: words("arranged fun rained worth ours had long bound"), own: true, group: "quay", places: "quays", senses: words("seemed"), jobs: quayJobs,
		things: words("crossing voyage cruise trip journey ride boat_trip sailing_trip train_ride flight"), many: words("crossings trips cruises"),
		looks: pairs("rough/smooth boring/exciting tiring/relaxing slow/fast dangerous/safe " +
			"chilly/pleasant bumpy/gentle unbearable/unforgettable"),
		deeds: pairs(moods),
	},
}

// What there is to see, hear and buy, and when.
var townTopics = []topic{
	{
		class: "rarity", group: "life", places: "districts", senses: words("looked seemed"), jobs: lifeJobs,
		things: rareThings, many: rareMany, looks: goods, deeds: pairs(moods),
	},

	{
		class: "event", also: words("arranged fun rained worth had several long yawned"), often: true, group: "life", places: "districts", senses: words("seemed"), jobs: lifeJobs,
		things: words("party game match show movie festival funfair wedding dance circus meeting class lesson birthday " +
			"birthday_party football_game puppet_show school_play bike_race zoo picnic barbecue"),
		many: words("games shows movies parties lessons classes fireworks races"),
		looks: pairs("boring/exciting dull/lively lame/fun tedious/thrilling depressing/uplifting sad/funny " +
			"chaotic/organised pointless/useful confusing/fascinating silly/clever tiresome/amusing bad/enjoyable loud/peaceful unfriendly/joyful creepy/cute unbearable/unforgettable"),
		deeds: pairs(moods + "left/watched"),
	},
	{
		class: "clothes", also: words("crafted several"), often: true, group: "life", places: "stalls", senses: words("felt looked seemed"), jobs: townJobs,
		things: words("coat jacket dress shirt hat sweater scarf suit bag"),
		many:   words("shoes boots gloves socks trousers clothes sandals jeans"),
		looks: pairs("ugly/beautiful uncomfortable/comfortable tight/roomy scratchy/soft shabby/elegant " +
			"old-fashioned/stylish hideous/gorgeous torn/mended thin/warm flimsy/sturdy gaudy/pretty shoddy/fine expensive/cheap"),
		deeds: pairs(moods + "returned/wore"),
	},
	{
		class: "gadget", also: words("crafted several"), often: true, group: "life", places: "stalls", senses: words("looked seemed"), jobs: townJobs,
		things: words("laptop headset scooter tractor machine bench phone camera computer radio television car bike bicycle clock watch umbrella lamp chair table toy"),
		many:   words("phones cars bikes lamps chairs toys"),
		looks: pairs("useless/useful broken/sturdy unreliable/reliable slow/fast ugly/beautiful flimsy/solid " +
			"worthless/precious overpriced/affordable clumsy/handy shoddy/fine expensive/cheap boring/interesting faulty/flawless wobbly/steady rusty/shiny old/new"),
		deeds: pairs(moods + "returned/kept"),
	},
	{
		class: "part", group: "life", places: "stalls", senses: words("looked seemed"), jobs: townJobs,
		things: words("battery keyboard screen motor camera printer alarm"), many: words("batteries brakes keys headphones"),
		looks: pairs("weak/strong faulty/reliable broken/fine useless/useful slow/fast bad/good terrible/great " +
			"unreliable/dependable cheap/solid noisy/quiet"),
		deeds: pairs(moods),
	},
	{
		class: "beast", also: words("several"), often: true, group: "life", places: "districts", senses: words("looked seemed"), jobs: lifeJobs,
		things: words("dog cat horse puppy kitten pony parrot cow goat"),
		many:   words("dogs cats horses puppies kittens ponies birds animals"),
		looks: pairs("fierce/gentle lazy/lively sick/healthy stupid/clever ugly/beautiful sad/happy " +
			"noisy/quiet nasty/sweet grumpy/playful wild/tame hungry/cuddly mean/friendly creepy/cute vicious/adorable tired/frisky"),
		deeds: pairs("hated/loved disliked/liked feared/petted"),
	},
	{
		class: "plant", also: words("several"), often: true, group: "life", places: "districts", senses: words("looked seemed"), jobs: lifeJobs,
		things: words("rose tree lawn hedge orchard"),
		many:   words("roses flowers tulips trees plants lilies tomatoes strawberries"),
		looks: pairs("withered/blooming dead/fresh ugly/beautiful dry/green bare/leafy drab/colourful hideous/gorgeous " +
			"sickly/healthy smelly/fragrant"),
		deeds: pairs(moods + "ruined/watered"),
	},

	{
		class: "outing", also: words("arranged fun worth long yawned"), group: "town", places: "starts", senses: words("seemed"), jobs: townJobs,
		things: words("boat_tour castle_tour city_tour tour lecture excursion play story tale film parade book speech"),
		many:   words("tours stories tales films games"),
		looks: pairs("dull/thrilling boring/exciting tedious/lively tiresome/amusing dreary/charming " +
			"pointless/instructive depressing/uplifting sad/funny silly/clever uninspired/entertaining " +
			"confusing/fascinating unbearable/unforgettable creepy/sweet"),
		deeds: pairs(moods),
	},
	{
		class: "walk", also: words("rained fun worth long bound"), group: "town", places: "starts", senses: words("seemed"), jobs: townJobs,
		things: words("walk hike stroll climb trail bike_ride evening_walk"), many: words("walks hikes"),
		looks: pairs("dull/lovely boring/interesting tiring/relaxing steep/gentle muddy/easy exhausting/refreshing " +
			"dreary/scenic dangerous/safe depressing/uplifting cold/sunny"),
		deeds: pairs(moods),
	},
	{
		class: "music", also: words("fun spot yawned"), group: "town", places: "starts", senses: words("sounded seemed"),
		jobs:   words("singer pianist drummer fiddler conductor"),
		things: words("band choir concert orchestra song piano fiddle"), mass: words("music"),
		many: words("songs drums bells singers musicians"),
		looks: pairs("shrill/melodious loud/gentle tuneless/tuneful harsh/sweet dull/stirring mournful/joyful " +
			"deafening/soothing lifeless/lively uninspired/enchanting boring/exciting"),
		deeds: pairs(moods + "endured/applauded"),
	},
	{
		class: "sight", also: words("lit fun worth spot"), group: "town", places: "streets", senses: words("looked seemed"), jobs: townJobs,
		things: words("museum gallery aquarium exhibition chapel theatre theater church castle temple palace tower"),
		many:   words("paintings statues models puppets"),
		looks: pairs("dusty/spotless dull/fascinating boring/interesting dim/bright shabby/elegant drab/colourful " +
			"dreary/charming gloomy/cheerful expensive/cheap uninspired/entertaining ugly/attractive hideous/beautiful creepy/magical"),
		deeds: pairs(moods + "avoided/recommended"),
	},
	{
		class: "goods", also: words("crafted several"), group: "town", places: "stalls", senses: words("looked seemed"), jobs: townJobs,
		things: words("souvenir scarf basket lantern compass coat teapot necklace hat"),
		many:   words("souvenirs postcards candles shells gloves sandals kites toys gifts"),
		looks: pairs("shoddy/handsome overpriced/inexpensive flimsy/solid tacky/tasteful faded/colourful " +
			"ugly/elegant worthless/precious fake/genuine gaudy/pretty broken/sturdy"),
		deeds: pairs(moods + "refused/bought"),
	},
	{
		class: "place", also: words("lit spot"), group: "town", places: "districts", senses: words("looked seemed"), jobs: townJobs,
		things: words("swimming_pool library playground old_town beach garden harbour harbor street path park island market square bay village town city lake river mountain valley forest bridge"),
		many:   words("beaches gardens streets cliffs shops"),
		looks: pairs("littered/pristine dirty/clean noisy/peaceful crowded/quiet muddy/leafy " +
			"hideous/beautiful ugly/idyllic lifeless/lively dreary/charming bleak/breathtaking polluted/scenic boring/spectacular dangerous/safe grey/green smelly/fragrant scary/magical creepy/cosy unsafe/unspoilt"),
		deeds: pairs(moods + "avoided/recommended"),
	},
	{
		class: "place", also: words("lit spot"), group: "town", places: "districts", senses: words("looked seemed"), jobs: townJobs,
		things: words("view scenery skyline landscape"), many: words("views"),
		looks: pairs("dull/beautiful bleak/breathtaking ugly/charming boring/spectacular dreary/stunning " +
			"depressing/uplifting grey/green ruined/unspoilt"),
		deeds: pairs(moods),
	},
	{
		class: "stay", also: words("fun rained worth ours had long"), own: true, group: "town", places: "districts", senses: words("seemed"), jobs: innJobs,
		things: words("stay visit weekend holiday evening afternoon day week morning night"),
		many:   words("evenings days nights"),
		looks: pairs("boring/exciting dull/pleasant tiring/restful rainy/sunny lonely/merry gloomy/cheerful " +
			"stressful/relaxing sad/happy unbearable/unforgettable awkward/magical unlucky/lucky sleepless/memorable chaotic/peaceful cold/warm"),
		deeds: pairs("hated/loved regretted/enjoyed disliked/liked"),
	},
	{
		class: "water", group: "town", places: "districts", senses: words("felt looked seemed"), jobs: quayJobs,
		things: words("water sea lake river pool"), many: words("waves"),
		looks: pairs("freezing/warm dirty/clean cold/pleasant murky/clear choppy/calm rough/gentle polluted/pure filthy/blue " +
			"icy/inviting chilly/refreshing"),
		deeds: pairs(moods),
	},
	{
		class: "weather", also: words("plain"), often: true, own: true, group: "town", places: "districts", senses: words("looked seemed"), jobs: quayJobs,
		things: words("sky morning wind storm"), mass: words("weather snow air"),
		looks: pairs("grey/clear gray/golden freezing/warm cloudy/sunny stormy/calm wild/gentle chilly/mild foggy/bright icy/balmy gloomy/pleasant wet/dry dull/lovely rainy/fine miserable/perfect horrid/glorious"),
		deeds: pairs("cursed/praised hated/loved disliked/liked"),
	},
}
