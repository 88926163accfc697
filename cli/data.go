package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/corpus/fetch"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/urfave/cli/v2"
)

// dataCommand returns the group of commands for data sets.
func dataCommand(e *env) *cli.Command {
	return group(&cli.Command{
		Name: "data", Usage: "check a data set, make one from your files, tokenise texts, download one, or " +
			"write a builtin one",
		Subcommands: []*cli.Command{
			dataReportCommand(e), importCommand(e), tokeniseCommand(e), fetchCommand(e), demoCommand(e),
		},
	})
}

// knownWords is a usual size of a vocabulary. `data report` takes this many of the most frequent
// training words as known, and counts the other words.
const knownWords = 25_000

func dataReportCommand(e *env) *cli.Command {
	var asJSON bool
	return leaf(&cli.Command{
		Name:      "report",
		Usage:     "count a data set: sizes, repeats, leakage, lengths, unknown words",
		ArgsUsage: "FOLDER",
		Description: describe("FOLDER contains {train,dev,test}.{0,1}.txt, one sentence per line, and "+
			"optionally reference.{0,1}.txt. The 25,000 most frequent training words count as known.",
			"smlm-exp data report ../data/yelp", userr.OK, userr.BadInput),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON instead of a table", Destination: &asJSON},
		},
		Action: action(func(_ context.Context, args []string) error { return reportData(e, args[0], asJSON) }),
	})
}

// reportData prints the counts for the data set in a folder.
func reportData(e *env, dir string, asJSON bool) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() || errors.Is(err, fs.ErrNotExist) {
		return userr.New(userr.BadInput, "%q is no folder: name the folder that contains "+
			"{train,dev,test}.{0,1}.txt", dir)
	}
	set, err := corpus.Load(dir, nameOf(dir), data.ImportedLabels(dir))
	if err != nil {
		return err
	}
	counts := set.Report(knownWords)
	for i := range counts.Overlaps {
		if overlap := &counts.Overlaps[i]; overlap.Suspect() {
			fmt.Fprintf(e.stderr, "smlm-exp: %s\n", overlapWarning(overlap))
		}
	}
	if asJSON {
		return writeJSON(e.data(), counts)
	}
	return report.Corpus(counts).Write(e.stdout, "text")
}

// overlapWarning says that sentences occur in two splits, how this distorts results, and what to
// do.
func overlapWarning(o *corpus.Overlap) string {
	harm := "sentences learnt by heart are measured as if they were new"
	if o.In == corpus.Dev.String() {
		harm = "settings chosen on the dev set are measured on the same sentences"
	}
	return fmt.Sprintf("%d of %s are also %s sentences, or differ from one only in case, punctuation or Unicode form, so "+
		"%s: remove them from %s", o.Folded, wording.Count(o.Sentences, o.Split+" sentence"), o.In, harm, o.In)
}

func fetchCommand(e *env) *cli.Command {
	return leaf(&cli.Command{
		Name:      "fetch",
		Usage:     "download the files of a data set, or of a pretrained encoder, that a manifest lists",
		ArgsUsage: "MANIFEST FOLDER",
		Description: describe("MANIFEST is a TOML file with name, licence and source, and a [[file]] table "+
			"for each file: its path below FOLDER, url, size in bytes, and sha256 or git_blob (the hash by which "+
			"Git names a file). The licence is printed before the download. A file that is already "+
			"there with the right sum is not downloaded again. An interrupted download continues where it "+
			"stopped. A file whose sum is wrong is not kept under its name. The "+
			"licence is kept in FOLDER/LICENCE.txt. "+
			"experiments/data has manifests; docs/data.md explains them.",
			"smlm-exp data fetch experiments/data/yelp.toml ../shared/data/yelp", userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Action: action(func(ctx context.Context, args []string) error {
			return interrupted(fetchData(ctx, e, args[0], args[1]), goesOn)
		}),
	})
}

// patience is how long a download waits for a server to begin its answer. Receiving the rest of the
// answer may take any time.
const patience = time.Minute

func fetchData(ctx context.Context, e *env, manifest, dir string) error {
	m, err := fetch.LoadManifest(manifest)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "%s: licence: %s\n", wording.VisibleLine(m.Name), wording.VisibleLine(m.Licence))
	if m.Source != "" {
		fmt.Fprintf(e.stdout, "%s: source: %s\n", wording.VisibleLine(m.Name), wording.VisibleLine(m.Source))
	}
	fmt.Fprintf(e.stdout, "%s: %s\n", wording.VisibleLine(m.Name), sizeOfFiles(m.Files))
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: patience}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for i, f := range m.Files {
		if err := e.stdout.Flush(); err != nil { // the user must see the licence before anything is downloaded
			return fmt.Errorf("writing the output: %w", err)
		}
		last := time.Now()
		state, err := fetch.Download(ctx, client, dir, f, func(done, total int64) {
			if time.Since(last) < 10*time.Second {
				return
			}
			last = time.Now()
			of := ""
			if total >= 0 {
				of = " of " + wording.Bytes(total)
			}
			fmt.Fprintf(e.stderr, "[%d/%d] %s: %s%s\n", i+1, len(m.Files), f.Path, wording.Bytes(done), of)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "[%d/%d] %s: %s\n", i+1, len(m.Files), f.Path, state)
	}
	return keepLicence(m, dir)
}

// sizeOfFiles gives the number of files and their total size: "3 files, 12 MB, 1 of unknown size".
func sizeOfFiles(files []fetch.File) string {
	text, total, unknown := wording.Count(len(files), "file"), int64(0), 0
	for _, f := range files {
		if total += f.Size; f.Size == 0 {
			unknown++
		}
	}
	if total > 0 {
		text += ", " + wording.Bytes(total)
	}
	if unknown > 0 {
		text += fmt.Sprintf(", %d of unknown size", unknown)
	}
	return text
}

// keepLicence writes the manifest's licence to a file next to the data, unless the file exists.
func keepLicence(m *fetch.Manifest, dir string) error {
	path := filepath.Join(dir, corpus.LicenceFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text := m.Licence + "\n"
	if m.Source != "" {
		text += "Source: " + m.Source + "\n"
	}
	if err := files.WriteBytes(path, []byte(text)); err != nil {
		return userr.New(userr.BadInput, "writing the licence beside the data: %w", err)
	}
	return nil
}

func demoCommand(e *env) *cli.Command {
	return leaf(&cli.Command{
		Name:      "demo",
		Usage:     "write the corpus that is inside the program as files",
		ArgsUsage: "FOLDER",
		Description: describe("FOLDER is created. If it exists, it must be empty.",
			"smlm-exp data demo demo-corpus", userr.OK, userr.StageFailed, userr.BadInput),
		Action: action(func(_ context.Context, args []string) error {
			d := corpus.Demo()
			err := files.WriteFolder(args[0], func(apart string) error {
				if err := d.Save(apart); err != nil {
					return userr.New(userr.BadInput, "writing the demo corpus to %q: %w", args[0], files.Cause(err))
				}
				return nil
			})
			if err != nil {
				return err
			}
			wrote(e, args[0], d)
			return nil
		}),
	})
}
