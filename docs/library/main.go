// Command library shows how to use smlm-exp as a library. It runs the study of experiments.toml and
// prints the metrics TST% and Mean of each system. Your own program can begin like this.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/smlm-exp/smlm-exp/runs"
)

func main() {
	study, err := runs.Open(runs.File{Path: "experiments.toml"})
	if err == nil {
		err = study.Run(context.Background(), runs.Options{Quiet: true})
	}
	if err != nil {
		log.Fatal(err)
	}
	results, err := study.Results()
	if err != nil {
		log.Fatal(err)
	}
	for _, system := range results.Systems {
		fmt.Println(system.Name(), system.Values["tst"], system.Values["mean"])
	}
}
