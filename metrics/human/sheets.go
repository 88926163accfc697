// Package human runs human evaluations. Export writes blind sheets on which readers rate the
// outputs of several systems. Tally reads the answers and assigns them to the systems. The methods
// of Ratings compute the results.
package human

import (
	"bytes"
	_ "embed" // for the form
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html/template"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Sentence identifies a source sentence.
type Sentence struct {
	Split     string `json:"split"`     // "dev" or "test"
	Direction string `json:"direction"` // such as "negative to positive"
	Line      int    `json:"line"`      // line in the file of its split and style, from 1
}

// Item is a source sentence with the output of each system.
type Item struct {
	Sentence
	Source  string   `json:"source"`
	Outputs []string `json:"outputs"` // in the order of Key.Systems
}

// Key records which system wrote which output. The researcher does not send the key to the readers.
type Key struct {
	Dataset string    `json:"dataset"`
	Systems []string  `json:"systems"` // as the user named them
	Items   []Item    `json:"items"`
	Sheets  [][]Shown `json:"sheets"` // for each reader, the items in the order of the reader's sheet
}

// Shown is an item on a reader's sheet.
type Shown struct {
	Item int `json:"item"` // index in Key.Items
	// Rewrites[k] lists the systems that wrote the rewrite with the k-th letter, as indices in
	// Key.Systems. Equal outputs of several systems are shown as one rewrite.
	Rewrites [][]int `json:"rewrites"`
}

// The files of a folder of sheets.
const (
	keyFile      = "key.json"
	guideFile    = "instructions.txt"
	AnswersFile  = "answers.csv" // written by Tally
	sheetPattern = "sheet-%d.csv"
	formPattern  = "sheet-%d.html"
	savedPattern = "sheet-%d.json" // answers that the form saved
)

// MaxSystems is the largest number of systems on one sheet. It equals the number of letters from A
// to Z, because each rewrite of an item needs a different letter.
const MaxSystems = 26

var sheetColumns = []string{
	"item", "direction", "source", "letter", "rewrite", "style", "content", "fluency", "best",
}

// noneMark in the column "best" means that no rewrite is good.
const noneMark = "none"

// Scale is one of the three scales on which readers rate.
type Scale struct {
	Name    string
	Meaning [3]string // meaning of the scores 0, 1 and 2
}

// Scales lists the scales in the order of the scores in sheets and files.
var Scales = [3]Scale{
	{"style", [3]string{"not in the requested style", "in part, or unclear", "the whole sentence is in the requested style"}},
	{"content", [3]string{"about something else", "something is lost or changed", "everything else is kept"}},
	{"fluency", [3]string{"broken", "understandable, with an error", "grammatical and natural"}},
}

// howToRate holds the paragraphs that the instructions for CSV sheets and the form have in common.
var howToRate = []string{
	"Each item has a source sentence and rewrites of it. The direction says which style the source has and which style " +
		"is requested. Everything else should stay. Give every rewrite three scores.",
	"A rewrite that equals its source gets content 2, fluency for the source as it is written, and style for what it " +
		"says: 0 if it is not in the requested style. If the source has both styles or neither, judge the rewrite alone.",
	"Then mark the best rewrite of the item, or several if they are equally good. If none is good, say so instead.",
	"An item counts when every rewrite has three scores and the best is marked. Items may stay empty.",
	"Work alone. Order and letters differ from sheet to sheet, so they do not tell who wrote what.",
}

// Draw returns n randomly drawn items of each direction, or all items if a direction has fewer. A
// sentence that is in skip is never drawn. The result depends only on the arguments.
func Draw(all []Item, n int, seed uint64, skip map[Sentence]bool) (drawn []Item) {
	rng := rand.New(rand.NewPCG(seed, 0))
	var directions []string
	byDirection := map[string][]Item{}
	for _, item := range all {
		directions = lists.AddOnce(directions, item.Direction)
		if !skip[item.Sentence] {
			byDirection[item.Direction] = append(byDirection[item.Direction], item)
		}
	}
	for _, d := range directions {
		candidates := byDirection[d]
		order := rng.Perm(len(candidates))[:min(n, len(candidates))]
		slices.Sort(order)
		for _, i := range order {
			drawn = append(drawn, candidates[i])
		}
	}
	return drawn
}

// Export fills a new or empty folder with a sheet and a form for each reader, the instructions and
// the key. Each reader gets a different order of items and different letters for the rewrites.
func Export(dir string, key Key, readers int, seed uint64) error {
	contents := map[string][]byte{guideFile: guide()}
	for reader := 1; reader <= readers; reader++ {
		rng := rand.New(rand.NewPCG(seed, uint64(reader)))
		var shown []Shown
		for _, i := range rng.Perm(len(key.Items)) {
			shown = append(shown, Shown{i, rewrites(key.Items[i].Outputs, rng)})
		}
		key.Sheets = append(key.Sheets, shown)
		sheet := key.sheet(shown)
		text, err := sheet.csv()
		if err != nil {
			return err
		}
		contents[fmt.Sprintf(sheetPattern, reader)] = text
		if contents[fmt.Sprintf(formPattern, reader)], err = sheet.html(reader, files.Sum(text)); err != nil {
			return err
		}
	}
	var err error
	if contents[keyFile], err = json.MarshalIndent(key, "", " "); err != nil {
		return err
	}
	return files.WriteFolder(dir, func(temporary string) error {
		for name, content := range contents {
			if err := files.WriteBytes(filepath.Join(temporary, name), content); err != nil {
				return err
			}
		}
		return nil
	})
}

// The function displayed returns an output as readers see it: in lower case, because letter case
// could reveal the system.
func displayed(output string) string { return strings.ToLower(wording.OneLine(output)) }

// rewrites groups systems with equal outputs and returns the groups in random order.
func rewrites(outputs []string, rng *rand.Rand) (groups [][]int) {
	known := map[string]int{}
	for _, system := range rng.Perm(len(outputs)) {
		text := displayed(outputs[system])
		k, seen := known[text]
		if !seen {
			k = len(groups)
			known[text] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], system)
	}
	return groups
}

// sheet is what a reader sees.
type sheet []sheetItem

type sheetItem struct {
	Number            int // number of the item on the sheet, from 1
	Direction, Source string
	Rewrites          []rewrite
}

type rewrite struct{ Letter, Text string }

func letter(k int) string { return string(rune('A' + k)) }

func (key *Key) sheet(shown []Shown) (s sheet) {
	for i, entry := range shown {
		item := key.Items[entry.Item]
		converted := sheetItem{Number: i + 1, Direction: item.Direction, Source: item.Source}
		for k, systems := range entry.Rewrites {
			converted.Rewrites = append(converted.Rewrites, rewrite{letter(k), displayed(item.Outputs[systems[0]])})
		}
		s = append(s, converted)
	}
	return s
}

// csv writes the sheet for a spreadsheet.
func (s sheet) csv() ([]byte, error) {
	rows := [][]string{sheetColumns}
	for _, item := range s {
		for _, r := range item.Rewrites {
			rows = append(rows, []string{
				strconv.Itoa(item.Number), wording.Cell(item.Direction), wording.Cell(item.Source), r.Letter,
				wording.Cell(r.Text), "", "", "", "",
			})
		}
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

//go:embed form.html
var formHTML string

var formPage = template.Must(template.New("form").Parse(formHTML))

// html writes the sheet as a form for a browser. The browser stores the answers under a name that
// contains the argument id.
func (s sheet) html(reader int, id string) ([]byte, error) {
	var b bytes.Buffer
	err := formPage.Execute(&b, map[string]any{
		"Reader": reader, "ID": id, "Saved": fmt.Sprintf(savedPattern, reader), "Items": s, "Scales": Scales,
		"Scores": []int{2, 1, 0}, "HowToRate": howToRate,
	})
	return b.Bytes(), err
}

// guide returns the instructions for the CSV sheets. The form contains its own instructions.
func guide() []byte {
	paragraphs := []string{howToRate[0]}
	for _, scale := range Scales {
		m := scale.Meaning
		paragraphs = append(paragraphs, fmt.Sprintf("- %s: 2 %s; 1 %s; 0 %s", scale.Name, m[2], m[1], m[0]))
	}
	paragraphs = append(paragraphs, howToRate[1:]...)
	paragraphs = append(paragraphs,
		"In the column best, write x beside the best rewrite. If none is good, write none beside any rewrite of the item. "+
			"Save the sheet under its own name as CSV.",
		"Instead of the sheet, you can open the form sheet-N.html in a browser. It saves sheet-N.json. A program that rates "+
			"can write this file, too: a list of items with the scores for style, content and fluency.",
		`[{"item": 1, "scores": {"A": [2, 1, 2], "B": [0, 2, 2]}, "best": ["A"]}, ...]`)
	return []byte(strings.Join(paragraphs, "\n\n") + "\n")
}
