package demo

// Registers is the grammar of the corpus "registers": what guests liked about Pellow, in plain,
// lofty and slangy words. A word with a style has it wherever it stands, its like in each other
// style means the same, and all of them are of one word, so that a rewrite exchanges words and
// keeps what is said. Neutral words, places and staff are those of Moods.
var Registers = &Tables{
	Labels: []string{"plain", "lofty", "slangy"},
	train:  3000, dev: 300, test: 150, stops: 100,
	topics: registerTopics, staff: registerStaff, templates: registerTemplates,
	openers: []string{"{time} ,", "{remark} ,"}, tails: []string{"{time}", ", {remark}"}, closers: registerClosers,
	styled: map[string][]phrase{
		"deg":    triples("very/exceedingly/dead so/immeasurably/well extremely/supremely/mega"),
		"trait":  triples("friendly/affable/matey kind/benevolent/sound lively/vivacious/bouncy cheerful/blithe/chirpy"),
		"skill":  triples("clever/sagacious/brainy skilled/adroit/nifty capable/accomplished/savvy"),
		"manner": triples("quickly/expeditiously/sharpish soon/anon/pronto"),
		"act":    triples("impressed/awed/wowed amused/regaled/tickled surprised/astonished/floored"),
	},
}

var registerStaff = []topic{{class: "staff", places: "districts"}}

// triples is choices on three styles.
func triples(list string) []phrase { return choices(3, list) }

var registerTopics = []topic{
	{
		class: "food", places: "eateries", senses: words("tasted"),
		things: words("soup chowder stew crab mackerel cod lobster risotto omelette"),
		many:   words("oysters dumplings mussels noodles prawns sardines"),
		looks:  triples("tasty/delectable/scrummy good/exquisite/banging nice/sublime/yummy"),
		deeds:  triples("ate/consumed/scoffed enjoyed/relished/demolished"),
	},
	{
		class: "food", places: "bakeries", senses: words("tasted"),
		things: words("loaf gingerbread pudding custard cake trifle fudge tart sorbet"),
		many:   words("scones buns waffles pancakes crumpets biscuits"),
		looks:  triples("tasty/delectable/scrummy good/exquisite/banging sweet/ambrosial/sugary nice/sublime/yummy"),
		deeds:  triples("ate/consumed/scoffed enjoyed/relished/demolished"),
	},
	{
		class: "drink", places: "eateries", senses: words("tasted"),
		things: words("cider ale wine lemonade stout tea coffee cocoa cordial perry"),
		looks:  triples("good/exquisite/banging nice/divine/lush refreshing/reviving/zingy"),
		deeds:  triples("drank/imbibed/necked finished/quaffed/downed"),
	},
	{
		class: "lodging", places: "inns", senses: words("looked"),
		things: words("room chamber attic suite parlour cabin alcove"), many: words("rooms quarters"),
		looks: triples("comfortable/luxurious/comfy good/splendid/ace smart/palatial/posh pretty/resplendent/snazzy"),
		deeds: triples("reserved/secured/bagged liked/admired/fancied"),
	},
	{
		class: "lodging", places: "inns", senses: words("felt"),
		things: words("bed mattress bunk cot hammock pillow quilt"), many: words("blankets cushions towels"),
		looks: triples("comfortable/luxurious/comfy soft/downy/squishy good/splendid/ace nice/divine/lush"),
		deeds: triples("wanted/coveted/craved liked/admired/fancied"),
	},
	{
		class: "boat", places: "quays", senses: words("looked"),
		things: words("ferry steamer launch barge skiff canoe raft dinghy yacht"), many: words("ferries canoes"),
		looks: triples("good/magnificent/cracking pretty/resplendent/snazzy smart/elegant/natty"),
		deeds: triples("hired/chartered/nabbed liked/admired/fancied"),
	},
	{
		class: "outing", places: "starts", senses: words("seemed"),
		things: words("tour ramble lecture excursion cruise regatta parade play"),
		many:   words("stories tales legends"),
		looks:  triples("exciting/exhilarating/wicked good/magnificent/cracking lovely/glorious/epic"),
		deeds:  triples("liked/admired/fancied enjoyed/relished/dug"),
	},
	{
		class: "music", places: "starts", senses: words("sounded"),
		things: words("band choir concert piano accordion orchestra fiddle serenade"),
		many:   words("drums bells songs ballads"),
		looks:  triples("good/magnificent/cracking lovely/glorious/epic nice/melodious/groovy"),
		deeds:  triples("liked/admired/fancied enjoyed/relished/dug"),
	},
	{
		class: "goods", places: "stalls", senses: words("looked"),
		things: words("souvenir scarf basket lantern compass raincoat teapot necklace"),
		many:   words("postcards candles mittens sandals kites shells"),
		looks:  triples("pretty/resplendent/snazzy good/excellent/ace smart/elegant/natty"),
		deeds:  triples("bought/acquired/nabbed chose/selected/bagged"),
	},
	{
		class: "place", places: "districts", senses: words("looked"),
		things: words("beach cove promenade view garden terrace pier lagoon bay"),
		many:   words("dunes cliffs gardens meadows"),
		looks: triples("pretty/picturesque/peachy good/glorious/ace nice/idyllic/lush " +
			"lovely/majestic/epic"),
		deeds: triples("saw/beheld/clocked liked/admired/fancied"),
	},
}

// registerTemplates are templates of clauses as those of Moods; [x|y|z] is x in plain, y in lofty
// and z in slangy text. No word with a style stands behind "a", which would have to change with it.
var registerTemplates = map[string][]string{
	"": {
		"the {thing} {where} {was} {how} {adj}",
		"the {thing} {where} {sense} {adj}",
		"the {thing} beside the {landmark} {was} {deg} {adj}",
		"the {thing} beside the {landmark} {sense} {how} {adj}",
		"the {known} {thing} {where} {was} {adj}",
		"{who} found the {thing} {where} {how} {adj}",
		"{who} called the {thing} {adj} and the {thing2} {adj2}",
		"{who} praised the {adj} {thing} {where}",
		"{who} {deed} the {known} {thing} {where}",
		"{who} {deed} the {thing} {where} {time}",
		"we came for the {adj} {thing} {where}",
		"we {deed} the {adj} {thing} {where}",
		"we remembered the {adj} {thing} and the {trait} {job}",
		"our [children|offspring|kids] remembered the {known} {thing} {where}",
		"it was the {adj} {thing} that {who} remembered",
		"everyone {group} [talked|discoursed|nattered] about the {known} {thing}",
		"nobody {group} [complained|protested|whinged] about the {thing}",
		"the {thing} {was} n't [bad|displeasing|naff] , {it} {was} {adj}",
		"the {thing} {was} n't what we expected , but {it} {was} {adj}",
		"we did n't want to [leave|depart|scarper] , the {thing} {was} {adj}",
		"the {job} said that the {thing} {where} {was} {adj}",
		"the [man|gentleman|bloke] {group} told us about the {thing}",
		"two [friends|companions|mates] told us about the {adj} {thing}",
		"the {thing} {was} {deg} {adj} and the {job} was {trait}",
	},
	"food": {
		"we were [hungry|famished|peckish] and the {thing} {was} [filling|sumptuous|stonking]",
		"the {job} [gave|proffered|bunged] us the {known} {thing} {where}",
		"the [food|fare|grub] {where} was {adj} , above all the {thing}",
		"we could n't [stop|cease|quit] eating the {thing} {where}",
		"they served the {thing} {manner} {where}",
	},
	"drink": {
		"we were [thirsty|parched|gasping] and the {thing} {was} {adj}",
		"{who} [sat|reclined|lounged] {where} with the {known} {thing}",
		"the {job} [gave|proffered|bunged] us the {adj} {thing}",
		"we could n't [stop|cease|quit] drinking the {thing} {where}",
	},
	"lodging": {
		"we [slept|slumbered|kipped] soundly because the {thing} {was} {adj}",
		"we were [tired|weary|knackered] and the {thing} {was} {how} {adj}",
		"the {job} showed us the {adj} {thing} {where}",
		"the {thing} facing the {landmark} {was} {deg} {adj}",
		"two [friends|companions|mates] shared the {known} {thing} {where}",
	},
	"boat": {
		"the {thing} to the {landmark} {was} {how} [fast|fleet|nippy]",
		"the {thing} [hurried|sped|whizzed] past the {landmark}",
		"the {skill} {job} steered the {thing} {where}",
		"we [slept|slumbered|kipped] on the {known} {thing} {where}",
	},
	"outing": {
		"the {thing} about the {subject} {was} {how} {adj}",
		"we [laughed|chortled|cackled] at the [funny|droll|goofy] {thing} about the {subject}",
		"the {trait} {job} told us of the {thing}",
		"our [legs|limbs|pins] were [tired|weary|knackered] after the {thing}",
	},
	"music": {
		"we [danced|waltzed|boogied] to the {known} {thing} {where}",
		"the {thing} near the {landmark} {sense} {how} {adj}",
		"we could n't [stop|cease|quit] dancing to the {thing} {where}",
	},
	"goods": {
		"{who} [spent|lavished|blew] ten coins on the {known} {thing}",
		"the [cheap|inexpensive|cheapo] {thing} cost little [money|gold|dosh] {where}",
		"the {job} {where} [sold|purveyed|flogged] us the {thing}",
	},
	"place": {
		"we [wandered|meandered|mooched] from the {landmark} to the {thing}",
		"we [rested|reposed|chilled] near the [calm|serene|chilled] {thing} {where}",
		"the {thing} below the {landmark} {was} {adj} and {adj}",
	},
	"staff": {
		"the {job} {where} was {trait} and {trait}",
		"the {job} {where} was {how} {trait}",
		"the {job} {where} {act} us {time}",
		"{who} thought the {job} {where} {deg} {trait}",
		"the {trait} {job} [fed|nourished|stuffed] us {where}",
		"the {job} [laughed|chortled|cackled] when we asked about the {thing2}",
		"we asked the {trait} {job} about the {thing2}",
		"the {job} [talked|discoursed|nattered] with {who} about the {thing2}",
		"the {job} did n't [complain|protest|whinge] when we came late",
		"the {skill} {job} [worked|toiled|grafted] {where} {time}",
		"the {job} would n't take our [money|gold|dosh] {time}",
		"the {skill} {job} found our [clothes|attire|clobber] {where}",
		"the {job} came back {manner} and {act} us",
	},
}

var registerClosers = []string{
	"and we [left|departed|scarpered] {time}",
	"and we did n't [complain|protest|whinge]",
	"and our [children|offspring|kids] were happy",
	"and it cost little [money|gold|dosh]",
	", believe me , [friends|gentlemen|lads]",
	"and we were n't [hungry|famished|peckish] afterwards",
	"and we could n't [stop|cease|quit] smiling",
	"and {who} felt [glad|jubilant|buzzing]",
}
