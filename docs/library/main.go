// Command library runs the study of experiments.toml as a library and prints what each system
// scored. It is what a program of your own begins with.
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
