package architecture

import (
	"encoding/csv"
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
	allPagesWords = 15000 // on all pages, with tables
	decisionWords = 400
)

// settled are the numbers on result pages that no CSV file has.
var settled = map[string]string{
	"llm-judges.md .62": "TestJudgesAndPeople computes it", "llm-judges.md .52": "TestJudgesAndPeople computes it",
	"llm-judges.md .03": "TestJudgesAndPeople computes it", "llm-judges.md .51": "TestJudgesAndPeople computes it",
}

var (
	decimal   = regexp.MustCompile(`\d*\.\d+`)
	quantity  = regexp.MustCompile(`\d[\d,]*\.?\d*|\.\d+`)
	unchecked = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\\]\\([^)]*\\)|(?m)^    .*$")
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

// TestResultsAreInTables checks every number with a decimal point on result pages, outside of code
// and links. It must be in a CSV file in the page's folder, possibly with more digits or as a share
// instead of a percentage, or be printed in the paper. bring.md has no CSV files yet. The test also
// checks the length of the pages.
func TestResultsAreInTables(t *testing.T) {
	paper := numbersOf(t, root+"/report/paper/paper.toml")
	pages, err := filepath.Glob(resultsFolder + "/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages (%v)", err)
	}
	total := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(page)
		total += len(strings.Fields(string(text)))
		prose := inTable.ReplaceAllString(string(text), "")
		if words := len(strings.Fields(prose)); words > pageWords && name != "bring.md" {
			t.Errorf("docs/results/%s has %d words, at most %d", name, words, pageWords)
		}
		folder := strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "README")
		var tables []string
		for _, below := range []string{"*.csv", "*/*.csv", "*/*/*.csv"} {
			paths, _ := filepath.Glob(filepath.Join(resultsFolder, folder, below))
			tables = append(tables, paths...)
		}
		known := slices.Concat(paper, numbersOf(t, tables...))
		for _, number := range decimal.FindAllString(unchecked.ReplaceAllString(string(text), ""), -1) {
			if settled[name+" "+number] == "" && name != "bring.md" && !found(known, number) {
				t.Errorf("docs/results/%s: %s is in no CSV file of docs/results/%s", name, number, folder)
			}
		}
	}
	if total > allPagesWords {
		t.Errorf("docs/results/*.md have %d words, at most %d", total, allPagesWords)
	}
}

// numbersOf returns all numbers in the files, without signs.
func numbersOf(t *testing.T, paths ...string) (out []float64) {
	t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// A comma between two fields is not one within a number.
		fields := string(text)
		if filepath.Ext(path) == ".csv" {
			rows, err := csv.NewReader(strings.NewReader(fields)).ReadAll()
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			fields = strings.Join(slices.Concat(rows...), " ")
		}
		for _, number := range quantity.FindAllString(fields, -1) {
			if value, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64); err == nil {
				out = append(out, value)
			}
		}
	}
	return out
}

// found reports whether one of the values, or 100 times a value of at most 1 or a hundredth of a
// value, is the number when it is rounded to the digits of the number.
func found(values []float64, number string) bool {
	want, err := strconv.ParseFloat(number, 64)
	_, digits, _ := strings.Cut(number, ".")
	half := 0.5000001 * math.Pow(10, -float64(len(digits)))
	is := func(value float64) bool { return math.Abs(value-want) <= half }
	return err == nil && slices.ContainsFunc(values, func(v float64) bool {
		return is(v) || is(v/100) || v <= 1 && is(100*v)
	})
}
