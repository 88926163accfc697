package architecture

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	resultsFolder = root + "/docs/results"
	pageWords     = 600   // on one page, without tables
	readmeWords   = 900   // in README.md, with tables and code
	allPagesWords = 15000 // on all pages, with tables
	decisionWords = 400
)

// settled lists the numbers on result pages that no CSV file has, and where they come from.
var settled = map[string]string{
	"llm-judges.md .62": "TestJudgesAndPeople computes it", "llm-judges.md .52": "TestJudgesAndPeople computes it",
	"llm-judges.md .03": "TestJudgesAndPeople computes it", "llm-judges.md .51": "TestJudgesAndPeople computes it",
	"llm-judges.md 97.5": "TestJudgesAndPeople computes it",
}

var (
	decimal   = regexp.MustCompile(`\d*\.\d+`)
	quantity  = regexp.MustCompile(`\d*\.?\d+`)
	unchecked = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\\]\\([^)]*\\)|(?m)^    .*$")
	notTable  = regexp.MustCompile(`/(readings|ratings)-|/about\.csv$`)
	inTable   = regexp.MustCompile(`(?m)^\|.*$`)
)

// TestDecisionsAreShort checks the length of the pages in docs/decisions.
func TestDecisionsAreShort(t *testing.T) {
	pages, _ := filepath.Glob(root + "/docs/decisions/*.md")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if words := len(strings.Fields(string(text))); err != nil || words > decisionWords {
			t.Errorf("%s has %d words, at most %d (%v)", page, words, decisionWords, err)
		}
	}
}

// TestResultsAreInTables checks the numbers with a decimal point on result pages, outside of code
// and links. Each number must be in a CSV file in the page's folder or in report/paper/paper.toml.
// These files may have the number with more digits, or as a share instead of a percentage. All
// numbers in a row of a page's table must be in one or two rows of these files. README.md may use
// the CSV files of any page. The test also limits the lengths of the pages.
func TestResultsAreInTables(t *testing.T) {
	pages, err := filepath.Glob(resultsFolder + "/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages (%v)", len(pages), err)
	}
	readme, err := os.ReadFile(root + "/README.md")
	if words := len(strings.Fields(string(readme))); err != nil || words > readmeWords {
		t.Errorf("README.md has %d words, at most %d (%v)", words, readmeWords, err)
	}
	total := 0
	for _, page := range append(pages, root+"/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(page)
		if page != root+"/README.md" {
			total += len(strings.Fields(string(text)))
		}
		words := len(strings.Fields(inTable.ReplaceAllString(string(text), "")))
		if words > pageWords && page != root+"/README.md" {
			t.Errorf("docs/results/%s has %d words, at most %d", name, words, pageWords)
		}
		folder := filepath.Join(resultsFolder, strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "README"))
		tables := []string{root + "/report/paper/paper.toml"}
		for _, below := range []string{"*.csv", "*/*.csv", "*/*/*.csv"} {
			paths, _ := filepath.Glob(filepath.Join(folder, below))
			tables = append(tables, slices.DeleteFunc(paths, notTable.MatchString)...)
		}
		known := numberRows(t, tables)
		for line := range strings.Lines(unchecked.ReplaceAllString(string(text), "")) {
			numbers := decimal.FindAllString(line, -1)
			numbers = slices.DeleteFunc(numbers, func(n string) bool { return settled[name+" "+n] != "" })
			groups := slices.Collect(slices.Chunk(numbers, 1))
			if strings.HasPrefix(line, "|") {
				groups = [][]string{numbers}
			}
			for _, group := range groups {
				if !inTwoRows(known, group) {
					t.Errorf("docs/results/%s: no CSV file of this page has %s", name, strings.Join(group, ", "))
				}
			}
		}
	}
	if total > allPagesWords {
		t.Errorf("docs/results/*.md have %d words, at most %d", total, allPagesWords)
	}
}

// numberRows returns the numbers in each line of the given files, without signs.
func numberRows(t *testing.T, paths []string) (rows [][]float64) {
	t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var row []float64
			for _, number := range quantity.FindAllString(line, -1) {
				value, _ := strconv.ParseFloat(number, 64)
				row = append(row, value)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// inTwoRows reports whether one row, or two rows together, have all numbers. A single number is
// nearly always in some row by chance. Therefore the first of two rows must have at least half of
// the numbers, and the second row must add more than one.
func inTwoRows(rows [][]float64, numbers []string) bool {
	for _, row := range rows {
		left := missing(row, numbers)
		covers := func(other []float64) bool { return len(missing(other, left)) == 0 }
		if len(left) != 1 && 2*len(left) <= len(numbers) && slices.ContainsFunc(rows, covers) {
			return true
		}
	}
	return false
}

// missing returns the numbers that are not in a row. A value v in the row stands for a number if v,
// rounded to the number's digits, equals it. If v is at most 1, it may also be a share, and then
// 100 v stands for the number.
func missing(row []float64, numbers []string) []string {
	return slices.DeleteFunc(slices.Clone(numbers), func(number string) bool {
		want, _ := strconv.ParseFloat(number, 64)
		_, digits, _ := strings.Cut(number, ".")
		half := 0.5000001 * math.Pow(10, -float64(len(digits)))
		return slices.ContainsFunc(row, func(v float64) bool {
			return math.Abs(v-want) <= half || v <= 1 && math.Abs(100*v-want) <= half
		})
	})
}
