package cli

import (
	"fmt"
	"net/http"
	"time"

	"github.com/smlm-exp/smlm-exp/corpus/fetch"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/urfave/cli/v2"
)

func fetchCommand(e *Env) *cli.Command {
	return Leaf(&cli.Command{
		Name:      "fetch",
		Usage:     "bring a data set's files here from the addresses of a manifest",
		ArgsUsage: "MANIFEST FOLDER",
		Description: describe("MANIFEST is TOML: name, licence, source, and for each [[file]] its path below FOLDER, url "+
			"and sha256. What is\n"+
			"there with the right sum is not fetched again, what was broken off goes on where it stopped, and nothing\n"+
			"else gets the name of a file. docs/data.md has an example.",
			"smlm-exp data fetch yelp.toml ../data/yelp", userr.OK, userr.StageFailed, userr.BadInput, userr.Interrupted),
		Action: taking(func(c *cli.Context, args []string) error {
			return interrupted(fetchData(e, c, args[0], args[1]), goesOn)
		}),
	})
}

// patience is how long a server may take to begin an answer; the answer itself may last.
const patience = time.Minute

func fetchData(e *Env, c *cli.Context, manifest, dir string) error {
	m, err := fetch.LoadManifest(manifest)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "%s: licence: %s\n", m.Name, m.Licence)
	if m.Source != "" {
		fmt.Fprintf(e.Stdout, "%s: source: %s\n", m.Name, m.Source)
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: patience}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for i, f := range m.Files {
		last := time.Now()
		state, err := fetch.One(c.Context, client, dir, f, func(done, total int64) {
			if time.Since(last) < 10*time.Second {
				return
			}
			last = time.Now()
			of := ""
			if total >= 0 {
				of = " of " + wording.Bytes(total)
			}
			fmt.Fprintf(e.Stderr, "[%d/%d] %s: %s%s\n", i+1, len(m.Files), f.Path, wording.Bytes(done), of)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stdout, "[%d/%d] %s: %s\n", i+1, len(m.Files), f.Path, state)
	}
	return nil
}
